package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.json.KvJsonWriter;
import io.kvreactive.spi.KvEngine;
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
 * Entries are read in parts of about 128 KiB.
 */
final class EntrySource implements Outlet.Source {
  private static final int PART_BYTES = 128 << 10;
  private static final int MAX_ENTRIES = 1000; // of a part
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

  private final KvLimits limits;
  private final EntryPages pages;
  private final Form form;
  private final @Nullable KvRange range; // of a page, for its cursor
  private final long maxBytes;
  private boolean written; // true if an entry was encoded
  private long bytes; // of keys and values
  private @Nullable Versionstamp version;

  private EntrySource(
      KvLimits limits, EntryPages pages, Form form, @Nullable KvRange range, long maxBytes) {
    this.limits = limits;
    this.pages = pages;
    this.form = form;
    this.range = range;
    this.maxBytes = maxBytes;
  }

  private static KvEngine engine(RoutingContext context) {
    return RequestContext.of(context).kv().engine();
  }

  /** Answers a request with lines: the entries of a range after the cursor of the options. */
  static void lines(RoutingContext context, KvRange range, ListOptions options) {
    KvEngine engine = engine(context);
    EntryPages pages = EntryPages.range(engine, range, options, options.limit(), false);
    Outlet.write(
        context, new EntrySource(engine.limits(), pages, Form.LINES, null, Long.MAX_VALUE));
  }

  /**
   * Answers a request with a page: an object with the entries of a range after the cursor of the
   * options, and the cursor to continue with.
   *
   * @param limit the maximum number of entries
   */
  static void page(RoutingContext context, KvRange range, ListOptions options, int limit) {
    KvEngine engine = engine(context);
    ListOptions atOneVersion = options.withConsistency(ListOptions.Consistency.SNAPSHOT);
    EntryPages pages = EntryPages.range(engine, range, atOneVersion, limit, false);
    Outlet.write(
        context, new EntrySource(engine.limits(), pages, Form.PAGE, range, MAX_PAGE_BYTES));
  }

  /** Answers a request with an object that has an entry for each key, in the order of the keys. */
  static void keys(RoutingContext context, List<KvKey> keys) {
    KvEngine engine = engine(context);
    ArgumentChecks.withinLimit("keys", keys.size(), engine.limits().maxKeysPerGetMany());
    EntryPages pages = EntryPages.keys(engine, keys);
    Outlet.write(
        context, new EntrySource(engine.limits(), pages, Form.ENTRIES, null, Long.MAX_VALUE));
  }

  @Override
  public void setHeaders(HttpServerResponse response) {
    Responses.setType(response, form == Form.LINES ? Responses.NDJSON : Responses.JSON)
        .putHeader(Responses.VERSIONSTAMP, String.valueOf(version));
  }

  // ---- reading

  private int maxEntries() {
    return Math.min(MAX_ENTRIES, limits.maxBatchSize());
  }

  @Override
  public long nextBytes() {
    long entries = pages.count(maxEntries());
    long entry = EntryPages.ENTRY_BYTES + (long) limits.maxKeyBytes() + limits.maxValueBytes();
    long part = PART_BYTES + EntryPages.ENTRY_BYTES * entries + entry; // the last one exceeds it
    return Math.min(Math.min(part, entry * entries), MAX_RESERVED_BYTES);
  }

  @Override
  public Mono<Outlet.Part> next(ByteBudget.Share memory) {
    return pages.next(maxEntries(), Math.min(PART_BYTES, maxBytes - bytes)).map(this::part);
  }

  private Outlet.Part part(EntryPages.Page page) {
    if (version == null) {
      version = page.version();
    }
    pages.advance(page);
    bytes += page.dataBytes();
    return new Outlet.Part(page.bytes(), new Buffers(page));
  }

  @Override
  public boolean done() {
    return pages.done() || bytes >= maxBytes;
  }

  @Override
  public void close() {
    pages.close();
  }

  // ---- writing

  /** Encodes the entries of a part. */
  private final class Buffers implements Iterator<Buffer> {
    private final EntryPages.Page page;
    private int at;
    private boolean ended;

    Buffers(EntryPages.Page page) {
      this.page = page;
    }

    private boolean hasEntry() {
      return at < page.entries().size();
    }

    @Override
    public boolean hasNext() {
      return hasEntry() || done() && !ended;
    }

    @Override
    public Buffer next() {
      boolean isLines = form == Form.LINES;
      KvJsonWriter json = new KvJsonWriter();
      DataWriter data = new DataWriter(json);
      if (!isLines && !written) {
        json.raw(HEAD);
      }
      while (hasEntry() && json.length() < BUFFER_BYTES) {
        StoredEntry entry = page.entries().get(at);
        json.raw(isLines || !written ? "" : ",");
        written = true;
        if (entry == null) {
          data.absent(page.keys().get(at).bytes());
        } else {
          data.entry(entry);
        }
        at++;
        json.raw(isLines ? "\n" : "");
      }
      if (!hasEntry() && done()) {
        ended = true;
        json.raw(isLines ? "" : tail());
      }
      return Buffer.buffer(json.toBytes());
    }

    private String tail() {
      ObjectNode rest = StrictJson.object();
      if (range != null) {
        byte[] last = pages.resumeAfter();
        rest.put("cursor", last == null ? null : range.cursorAfter(KvKey.fromEncoded(last)));
      }
      rest.put("versionstamp", String.valueOf(version));
      return "]," + StrictJson.ascii(rest).substring(1);
    }
  }
}
