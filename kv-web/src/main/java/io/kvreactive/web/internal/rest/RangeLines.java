package io.kvreactive.web.internal.rest;

import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseStream;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Writes a range as lines of JSON. One page is read ahead of the connection, regardless of its
 * demand. Entries are encoded when the connection accepts more. A slow caller costs two pages and a
 * snapshot.
 */
final class RangeLines {
  private static final int PAGE = 1000;
  private static final int BUFFER_BYTES = 32 << 10;

  private final KvEngine engine;
  private final ListOptions options;
  private final KvEngine.@Nullable Snapshot snapshot;
  private byte[] start;
  private byte[] end;
  private long remaining;
  private boolean done;

  private RangeLines(
      KvEngine engine, KvRange range, ListOptions options, KvEngine.@Nullable Snapshot snapshot) {
    this.engine = engine;
    this.options = options;
    this.snapshot = snapshot;
    this.start = range.startBytes();
    this.end = range.endBytes();
    this.remaining = options.limit();
  }

  /** Answers a request with the entries of a range after the cursor of the options. */
  static void answer(RoutingContext context, KvRange range, ListOptions options) {
    KvEngine engine = RequestContext.of(context).kv().engine();
    KvRange rest = range.resume(options.cursor(), options.reverse());
    Scheduler here = Responses.here();
    Flux<ReadResult> pages =
        options.consistency() == ListOptions.Consistency.PAGE
            ? new RangeLines(engine, rest, options, null).pages()
            : Flux.usingWhen(
                engine.snapshot(),
                held -> new RangeLines(engine, rest, options, held).pages(),
                held -> Mono.fromRunnable(held::close));
    context
        .response()
        .putHeader("Content-Type", Responses.NDJSON)
        .putHeader("Cache-Control", "no-store");
    Flux<Buffer> body =
        pages
            .publishOn(here, 1)
            .doOnNext(page -> stamp(context, page))
            .concatMapIterable(RangeLines::buffers, 1);
    ResponseStream.write(context, body);
  }

  private static void stamp(RoutingContext context, ReadResult page) {
    if (!context.response().headWritten()) {
      Responses.stamp(context, page.snapshot());
    }
  }

  private Flux<ReadResult> pages() {
    return Mono.defer(this::page).repeat(() -> !done);
  }

  private Mono<ReadResult> page() {
    int size = (int) Math.min(remaining, Math.min(PAGE, engine.limits().maxBatchSize()));
    ReadRange range = new ReadRange(start, end, size, options.reverse(), options.keysOnly());
    return engine.read(List.of(range), snapshot).doOnNext(this::advance);
  }

  private void advance(ReadResult result) {
    RangePage page = result.pages().get(0);
    remaining -= page.entries().size();
    byte[] last = page.resumeAfter();
    if (last == null || remaining == 0) {
      done = true;
    } else if (options.reverse()) {
      end = last;
    } else {
      start = Arrays.copyOf(last, last.length + 1);
    }
  }

  private static Iterable<Buffer> buffers(ReadResult page) {
    return () -> new Buffers(page.pages().get(0).entries().iterator());
  }

  /** Encodes entries as lines on demand, in buffers of about 32 KiB. */
  private static final class Buffers implements Iterator<Buffer> {
    private final Iterator<StoredEntry> entries;

    Buffers(Iterator<StoredEntry> entries) {
      this.entries = entries;
    }

    @Override
    public boolean hasNext() {
      return entries.hasNext();
    }

    @Override
    public Buffer next() {
      Buffer buffer = Buffer.buffer(BUFFER_BYTES + (BUFFER_BYTES >> 2));
      while (entries.hasNext() && buffer.length() < BUFFER_BYTES) {
        StoredEntry entry = entries.next();
        buffer.appendBytes(
            StrictJson.bytes(
                EntryJson.of(entry.key(), entry.value(), entry.versionstamp(), entry.expireAt())));
        buffer.appendByte((byte) '\n');
      }
      return buffer;
    }
  }
}
