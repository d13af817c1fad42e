package io.kvreactive.examples.unicode;

import io.kvreactive.AtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvRange;
import io.kvreactive.examples.run.Progress;
import io.kvreactive.examples.run.Retries;
import io.kvreactive.examples.run.Screen;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Loads the characters once. A record and its index entries are in one commit, so either all or
 * none of them exist. Several commits are in flight, so that they share a sync of the disk.
 */
public final class Loader {
  private static final int RECORDS_PER_COMMIT = 250;
  private static final int COMMITS_IN_FLIGHT = 8;
  private static final int ENTRIES_PER_RECORD = 5;

  private final Kv kv;
  private final Assigned assigned;
  private final Screen screen;

  public Loader(Kv kv, Assigned assigned, Screen screen) {
    this.kv = kv;
    this.assigned = assigned;
    this.screen = screen;
  }

  /**
   * Loads the characters unless they are loaded. A load that was interrupted, or that another JDK
   * made, is repeated.
   */
  public Mono<Void> load() {
    Loaded expected = Loaded.of(assigned);
    return kv.get(CharacterKeys.LOADED, Loaded.class)
        .flatMap(
            mark -> {
              if (expected.equals(mark.value())) {
                screen.line("%,d records are loaded already", expected.characters());
                return Mono.empty();
              }
              return reload(expected);
            });
  }

  private Mono<Void> reload(Loaded expected) {
    return Mono.defer(
        () -> {
          Progress progress = new Progress(screen, "loading", expected.characters());
          return kv.deleteRange(KvRange.prefix(CharacterKeys.ROOT))
              .thenMany(assigned.characters())
              .buffer(RECORDS_PER_COMMIT)
              .flatMap(this::insert, COMMITS_IN_FLIGHT)
              .doOnNext(progress::add)
              .then(kv.set(CharacterKeys.LOADED, expected))
              .doOnNext(stamp -> finished(progress))
              .then();
        });
  }

  private void finished(Progress progress) {
    screen.line(
        "loaded %,d records with %,d keys in %.1f s: %,.0f records/s",
        progress.done(), progress.done() * ENTRIES_PER_RECORD, progress.seconds(), progress.rate());
  }

  /**
   * Stores a batch and emits the number of its records. Encoding takes CPU time, so it is spread
   * over threads.
   */
  private Mono<Integer> insert(List<CodePoint> characters) {
    return Mono.defer(() -> insertion(characters).commit())
        .subscribeOn(Schedulers.parallel())
        .retryWhen(Retries.whenRetryable())
        .map(
            result -> {
              requireCommitted(result, characters);
              return characters.size();
            });
  }

  private AtomicOperation insertion(List<CodePoint> characters) {
    AtomicOperation operation = kv.atomic();
    for (CodePoint character : characters) {
      int codePoint = character.codePoint();
      operation
          .checkAbsent(CharacterKeys.byName(character.name()))
          .set(CharacterKeys.character(codePoint), character)
          .set(CharacterKeys.byName(character.name()), codePoint)
          .set(CharacterKeys.byBlock(character.block()).append(codePoint), codePoint)
          .set(CharacterKeys.byScript(character.script()).append(codePoint), codePoint)
          .set(CharacterKeys.byCategory(character.category()).append(codePoint), codePoint);
    }
    return operation;
  }

  /**
   * Throws an exception if the commit failed. The check of each record has the index of the record
   * in the batch.
   */
  private static void requireCommitted(CommitResult result, List<CodePoint> characters) {
    if (!result.committed()) {
      List<String> taken =
          result.failedChecks().stream().map(index -> characters.get(index).name()).toList();
      throw new IllegalStateException("names of two characters: " + taken);
    }
  }
}
