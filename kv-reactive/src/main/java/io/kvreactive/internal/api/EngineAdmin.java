package io.kvreactive.internal.api;

import io.kvreactive.BackupProgress;
import io.kvreactive.CompactionProgress;
import io.kvreactive.Kv;
import io.kvreactive.KvAdmin;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvRange;
import io.kvreactive.KvStats;
import io.kvreactive.KvType;
import io.kvreactive.KvValue;
import io.kvreactive.ListOptions;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.VerifyReport;
import io.kvreactive.internal.api.bulk.JsonLines;
import io.kvreactive.spi.KvEngine;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link KvAdmin} over an engine. */
final class EngineAdmin implements KvAdmin {
  private final KvEngine engine;
  private final Kv kv;
  private final HandleScope scope;

  EngineAdmin(KvEngine engine, Kv kv, HandleScope scope) {
    this.engine = engine;
    this.kv = kv;
    this.scope = scope;
  }

  @Override
  public Mono<KvStats> stats() {
    return scope.mono(engine::stats);
  }

  @Override
  public Flux<BackupProgress> backup(Path directory) {
    return scope.flux(() -> scope.context().apply(engine.backup(directory)));
  }

  @Override
  public Flux<VerifyReport> verify() {
    return scope.flux(() -> scope.context().apply(engine.verify()));
  }

  @Override
  public Flux<CompactionProgress> compact() {
    return scope.flux(
        () -> {
          AtomicBoolean finished = new AtomicBoolean();
          Mono<CompactionProgress> end =
              Mono.defer(
                  () -> finished.get() ? Mono.empty() : Mono.error(HandleScope::closedHandle));
          return scope
              .context()
              .apply(
                  engine
                      .compact()
                      .doOnComplete(() -> finished.set(true))
                      .takeUntilOther(
                          scope.closed()) // unlike an error, this cancels the compaction
                      .concatWith(end));
        });
  }

  @Override
  public Flux<String> exportLines(KvRange range, ListOptions options) {
    if (options.keysOnly()) {
      return scope
          .context()
          .apply(
              Flux.error(
                  new KvException(
                      KvErrorCode.INVALID_ARGUMENT,
                      "keysOnly: true (expected: false, a line has a value)")));
    }
    return kv.list(range, options, KvType.of(KvValue.class)).map(JsonLines::print);
  }

  @Override
  public Flux<LoadProgress> importLines(Publisher<String> lines, LoadOptions options) {
    return kv.load(JsonLines.parse(lines, engine.limits()), options);
  }
}
