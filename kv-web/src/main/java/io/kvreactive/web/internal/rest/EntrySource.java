package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.json.KvJsonWriter;
import io.kvreactive.spi.ConsistentReads;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The body of a response that has entries: a line of JSON for each, or an object with an array.
 * Entries are read in parts of about 128 KiB. If the first part is all, no snapshot is held.
 */
final class EntrySource implements Outlet.Source {
  private static final int PART_BYTES = 128 << 10;
  private static final int MAX_ENTRIES = 1000; // of a part
  private static final int ENTRY_BYTES = 64; // estimated memory of an entry besides key and value
  private static final long MAX_RESERVED_BYTES = 1 << 20;
  private static final int BUFFER_BYTES = 32 << 10;
  private static final String HEAD = "{\"entries\":[";

  /** Size of keys and values after which a page ends. */
  private static final long MAX_PAGE_BYTES = 4L << 20;

  /** The form of a body. */
  private enum Form {
    LINES,
    ENTRIES,
    PAGE
  }

  private final KvEngine engine;
  private final EntryCursor cursor;
  private final Form form;
  private final ConsistentReads reads;
  private final @Nullable KvRange range; // of a page, for its cursor
  private final long maxBytes;
  private List<ReadRange> next = List.of();
  private boolean written; // true if an entry was encoded
  private long bytes; // of keys and values
  private @Nullable Versionstamp version;

  private EntrySource(
      KvEngine engine,
      EntryCursor cursor,
      Form form,
      ConsistentReads reads,
      @Nullable KvRange range,
      long maxBytes) {
    this.engine = engine;
    this.cursor = cursor;
    this.form = form;
    this.reads = reads;
    this.range = range;
    this.maxBytes = maxBytes;
  }

  /** Answers a request with lines: the entries of a range after the cursor of the options. */
  static void lines(RoutingContext context, KvRange range, ListOptions options) {
    KvEngine engine = RequestContext.of(context).kv().engine();
    Outlet.write(
        context,
        new EntrySource(
            engine,
            EntryCursor.range(range, options, options.limit()),
            Form.LINES,
            new ConsistentReads(engine, options.consistency() == ListOptions.Consistency.SNAPSHOT),
            null,
            Long.MAX_VALUE));
  }

  /**
   * Answers a request with a page: an object with the entries of a range after the cursor of the
   * options, and the cursor to continue with.
   *
   * @param limit the maximum number of entries
   */
  static void page(RoutingContext context, KvRange range, ListOptions options, int limit) {
    KvEngine engine = RequestContext.of(context).kv().engine();
    Outlet.write(
        context,
        new EntrySource(
            engine,
            EntryCursor.range(range, options, limit),
            Form.PAGE,
            new ConsistentReads(engine, true),
            range,
            MAX_PAGE_BYTES));
  }

  /** Answers a request with an object that has an entry for each key, in the order of the keys. */
  static void keys(RoutingContext context, List<KvKey> keys) {
    KvEngine engine = RequestContext.of(context).kv().engine();
    ArgumentChecks.withinLimit("keys", keys.size(), engine.limits().maxKeysPerGetMany());
    Outlet.write(
        context,
        new EntrySource(
            engine,
            EntryCursor.keys(keys),
            Form.ENTRIES,
            ConsistentReads.atSnapshot(engine),
            null,
            Long.MAX_VALUE));
  }

  @Override
  public void setHeaders(HttpServerResponse response) {
    response
        .putHeader("Content-Type", form == Form.LINES ? Responses.NDJSON : Responses.JSON)
        .putHeader("Cache-Control", "no-store")
        .putHeader(Responses.VERSIONSTAMP, String.valueOf(version));
  }

  // ---- reading

  @Override
  public long nextBytes() {
    KvLimits limits = engine.limits();
    next = cursor.next(Math.min(MAX_ENTRIES, limits.maxBatchSize()));
    long entry = ENTRY_BYTES + (long) limits.maxKeyBytes() + limits.maxValueBytes();
    long entries = 0;
    for (ReadRange range : next) {
      entries += range.limit();
    }
    long part = PART_BYTES + ENTRY_BYTES * entries + entry; // the last entry exceeds the maximum
    return Math.min(Math.min(part, entry * entries), MAX_RESERVED_BYTES);
  }

  @Override
  public Mono<Outlet.Part> next(ByteBudget.Share memory) {
    long most = Math.min(PART_BYTES, maxBytes - bytes);
    return reads.read(next, most, cursor::isAll).map(this::part);
  }

  private Outlet.Part part(ReadResult result) {
    if (version == null) {
      version = result.snapshot();
    }
    List<EntryCursor.Row> rows = cursor.rows(result);
    cursor.advance(result);
    long held = 0;
    for (RangePage page : result.pages()) {
      for (StoredEntry entry : page.entries()) {
        bytes += entry.bytes();
        held += ENTRY_BYTES + entry.bytes();
      }
    }
    return new Outlet.Part(held, new Buffers(rows));
  }

  @Override
  public boolean done() {
    return cursor.done() || bytes >= maxBytes;
  }

  @Override
  public void close() {
    reads.close();
  }

  // ---- writing

  /** Encodes the entries of a part. */
  private final class Buffers implements Iterator<Buffer> {
    private final Iterator<EntryCursor.Row> rows;
    private boolean ended;

    Buffers(List<EntryCursor.Row> rows) {
      this.rows = rows.iterator();
    }

    @Override
    public boolean hasNext() {
      return rows.hasNext() || done() && !ended;
    }

    @Override
    public Buffer next() {
      boolean isLines = form == Form.LINES;
      KvJsonWriter json = new KvJsonWriter();
      DataWriter data = new DataWriter(json);
      if (!isLines && !written) {
        json.raw(HEAD);
      }
      while (rows.hasNext() && json.length() < BUFFER_BYTES) {
        EntryCursor.Row row = rows.next();
        json.raw(isLines || !written ? "" : ",");
        written = true;
        if (row.entry() == null) {
          data.absent(row.key());
        } else {
          data.entry(row.entry());
        }
        json.raw(isLines ? "\n" : "");
      }
      if (!rows.hasNext() && done()) {
        ended = true;
        json.raw(isLines ? "" : tail());
      }
      return Buffer.buffer(json.toBytes());
    }

    private String tail() {
      ObjectNode rest = StrictJson.object();
      if (range != null) {
        byte[] last = cursor.resumeAfter();
        rest.put("cursor", last == null ? null : range.cursorAfter(KvKey.fromEncoded(last)));
      }
      rest.put("versionstamp", String.valueOf(version));
      return "]," + StrictJson.ascii(rest).substring(1);
    }
  }
}
