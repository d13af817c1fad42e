package io.kvreactive.json;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.store.file.CloseableHolder;
import io.kvreactive.internal.store.file.IoFailures;
import io.kvreactive.internal.store.file.LineInput;
import io.kvreactive.internal.store.file.LineOutput;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Exports to files and imports from files: lines of JSON in UTF-8, as {@code docs/json.md}
 * specifies, compressed by gzip if the name of the file ends in {@code .gz}.
 *
 * <p>Files are read and written on Reactor's bounded elastic scheduler, at the speed of the store;
 * no other thread waits for them. Signals are emitted on the Vert.x context that was current at
 * subscribe, else on a thread of that scheduler. The publishers are cold, as those of {@link Kv}.
 */
public final class KvLines {
  private static final int AHEAD = 256;

  private KvLines() {}

  /**
   * Exports a range, all read at one version, and emits the number of entries when they are
   * durable. The lines are written to a file with {@code .part} after the name, which is renamed at
   * the end. So the file is always complete, and an existing one is replaced atomically. Only one
   * export at a time may write to a file. Cancellation leaves an existing file unchanged.
   *
   * <p>Errors: those of {@link KvAdmin#exportLines(KvRange)}, DISK_FULL, IO_FAILED.
   */
  public static Mono<Long> write(Kv kv, KvRange range, Path file) {
    return write(kv.admin().exportLines(range), file);
  }

  /**
   * Like {@link #write(Kv, KvRange, Path)}, by {@link KvAdmin#exportLines(KvRange, ListOptions)}.
   */
  public static Mono<Long> write(Kv kv, KvRange range, ListOptions options, Path file) {
    return write(kv.admin().exportLines(range, options), file);
  }

  private static Mono<Long> write(Flux<String> lines, Path file) {
    Scheduler files = Schedulers.boundedElastic();
    return SubscriberContext.ELASTIC.apply(
        Mono.usingWhen(
            Mono.fromSupplier(CloseableHolder<LineOutput>::new),
            opened ->
                onFiles(file, "creating " + file, () -> opened.open(() -> LineOutput.create(file)))
                    .flatMap(
                        out ->
                            lines
                                .publishOn(files, AHEAD)
                                .doOnNext(
                                    line -> io(file, "writing " + file, () -> written(out, line)))
                                .then(onFiles(file, "finishing " + file, () -> finished(out)))),
            opened -> closed(file, opened),
            (opened, failure) -> closed(file, opened),
            opened -> closed(file, opened)));
  }

  private static boolean written(LineOutput out, String line) throws IOException {
    out.write(line);
    return true;
  }

  private static long finished(LineOutput out) throws IOException {
    out.finish();
    return out.lines();
  }

  /** Imports a file with default options. */
  public static Flux<LoadProgress> read(Kv kv, Path file) {
    return read(kv, file, LoadOptions.DEFAULT);
  }

  /**
   * Imports a file; see {@link KvAdmin#importLines}. Additional error: IO_FAILED if the file cannot
   * be read; the lines before the failure are stored first.
   */
  public static Flux<LoadProgress> read(Kv kv, Path file, LoadOptions options) {
    Flux<String> lines =
        Flux.usingWhen(
            Mono.fromSupplier(CloseableHolder<LineInput>::new),
            opened ->
                onFiles(file, "opening " + file, () -> opened.open(() -> LineInput.open(file)))
                    .flatMapMany(
                        in ->
                            Flux.<String>generate(sink -> next(file, in, sink))
                                .subscribeOn(Schedulers.boundedElastic())),
            opened -> closed(file, opened));
    return SubscriberContext.ELASTIC.apply(kv.admin().importLines(lines, options));
  }

  private static void next(Path file, LineInput in, SynchronousSink<String> sink) {
    try {
      String line = in.next();
      if (line == null) {
        sink.complete();
      } else {
        sink.next(line);
      }
    } catch (IOException e) {
      sink.error(failed(file, "reading " + file, e));
    } catch (KvException e) {
      sink.error(e);
    }
  }

  private static <T> Mono<T> onFiles(Path file, String doing, Callable<T> work) {
    return Mono.fromCallable(() -> io(file, doing, work)).subscribeOn(Schedulers.boundedElastic());
  }

  private static Mono<Void> closed(Path file, Closeable open) {
    return onFiles(
            file,
            "closing " + file,
            () -> {
              open.close();
              return true;
            })
        .then();
  }

  private static <T> T io(Path file, String doing, Callable<T> work) {
    try {
      return work.call();
    } catch (IOException e) {
      throw failed(file, doing, e);
    } catch (KvException e) {
      throw e;
    } catch (Exception e) {
      throw new KvException(KvErrorCode.INTERNAL, doing + " failed: " + e, e);
    }
  }

  private static KvException failed(Path file, String doing, IOException e) {
    Path directory = file.toAbsolutePath().getParent();
    return IoFailures.of(e, directory == null ? file : directory, doing);
  }
}
