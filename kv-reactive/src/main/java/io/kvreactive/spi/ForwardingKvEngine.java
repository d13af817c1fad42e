package io.kvreactive.spi;

import io.kvreactive.BackupProgress;
import io.kvreactive.CommitResult;
import io.kvreactive.CompactionProgress;
import io.kvreactive.KvLimits;
import io.kvreactive.KvStats;
import io.kvreactive.VerifyReport;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An engine that forwards every operation to another engine. Subclasses override the operations
 * that they change. Closing it closes the other engine.
 */
public abstract class ForwardingKvEngine implements KvEngine {
  private final KvEngine engine;

  protected ForwardingKvEngine(KvEngine engine) {
    this.engine = engine;
  }

  /** Returns the engine to which operations are forwarded. */
  protected final KvEngine engine() {
    return engine;
  }

  @Override
  public String name() {
    return engine.name();
  }

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return engine.read(ranges, snapshot, maxBytes);
  }

  @Override
  public @Nullable ReadResult readNow(List<ReadRange> ranges) {
    return engine.readNow(ranges);
  }

  @Override
  public @Nullable ReadResult readHere(
      List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return engine.readHere(ranges, snapshot, maxBytes);
  }

  @Override
  public Mono<Long> count(byte[] start, byte[] end) {
    return engine.count(start, end);
  }

  @Override
  public Mono<Snapshot> snapshot() {
    return engine.snapshot();
  }

  @Override
  public Mono<CommitResult> commit(Commit commit) {
    return engine.commit(commit);
  }

  @Override
  public boolean keepsVersions() {
    return engine.keepsVersions();
  }

  @Override
  public boolean followsChanges() {
    return engine.followsChanges();
  }

  @Override
  public boolean returnsExpiry() {
    return engine.returnsExpiry();
  }

  @Override
  public boolean commitsInOrder() {
    return engine.commitsInOrder();
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys) {
    return engine.watch(keys);
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys, long maxBytes) {
    return engine.watch(keys, maxBytes);
  }

  @Override
  public Flux<CommittedChanges> changes(ChangesRequest request) {
    return engine.changes(request);
  }

  @Override
  public Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    return engine.claim(queue, max, leaseMillis);
  }

  @Override
  public Mono<List<LeaseToken>> extend(List<LeaseToken> leases, long leaseMillis) {
    return engine.extend(leases, leaseMillis);
  }

  @Override
  public Mono<Void> finish(LeaseToken lease, Finish how) {
    return engine.finish(lease, how);
  }

  @Override
  public Mono<List<QueueStats>> queueStats() {
    return engine.queueStats();
  }

  @Override
  public @Nullable UUID historyId() {
    return engine.historyId();
  }

  @Override
  public Mono<KvStats> stats() {
    return engine.stats();
  }

  @Override
  public Flux<BackupProgress> backup(Path directory) {
    return engine.backup(directory);
  }

  @Override
  public Flux<VerifyReport> verify() {
    return engine.verify();
  }

  @Override
  public long now() {
    return engine.now();
  }

  @Override
  public long confirmedNow() {
    return engine.confirmedNow();
  }

  @Override
  public Flux<CompactionProgress> compact() {
    return engine.compact();
  }

  @Override
  public LongAdder userOperations() {
    return engine.userOperations();
  }

  @Override
  public KvLimits limits() {
    return engine.limits();
  }

  @Override
  public Mono<Void> close() {
    return engine.close();
  }
}
