package io.kvreactive.documents.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.LoadException;
import io.kvreactive.documents.spi.DocumentMapper;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Safety;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A load in parts: each part is one request, and the next one is prepared meanwhile. An item that
 * cannot be encoded ends the load after the items before it were stored. For one load.
 */
final class RemoteLoad {
  private static final int MAX_PART_BYTES = 8 << 20;
  private static final int PREFETCH = 256;
  private static final Pattern AT_LINE =
      Pattern.compile("(?s)line (\\d+): (.*); items stored: \\d+");

  private final RestCaller rest;
  private final DocumentMapper mapper;
  private final String path;
  private final long began = System.nanoTime();
  private @Nullable Throwable failure; // of the source or of an item
  private long read;
  private long entries;
  private long bytes;

  RemoteLoad(RestCaller rest, DocumentMapper mapper, String path) {
    this.rest = rest;
    this.mapper = mapper;
    this.path = path;
  }

  Flux<LoadProgress> load(Publisher<?> documents, LoadOptions options) {
    return Flux.from(documents)
        .limitRate(PREFETCH)
        .map(this::line)
        .onErrorResume(
            e -> { // signalled after the items before it are stored
              failure = e;
              return Flux.empty();
            })
        .bufferUntil(new Cut(options), true)
        .concatMap(this::store, 1)
        .concatWith(Mono.defer(() -> failure == null ? Mono.empty() : Mono.error(failure)));
  }

  private byte[] line(Object document) {
    long position = ++read;
    try {
      return mapper.encode(document).json();
    } catch (DocumentException e) {
      throw new LoadException(e.code(), position, e.detail(), e);
    }
  }

  private Mono<LoadProgress> store(List<byte[]> lines) {
    Buffer body = Buffer.buffer();
    lines.forEach(line -> body.appendBytes(line).appendByte((byte) '\n'));
    HttpCall call = rest.send(HttpMethod.POST, path, body, Safety.ONCE);
    return rest.call(RestCaller.lines(call).with("Content-Type", RestCaller.NDJSON))
        .map(answer -> last(answer.body()))
        .onErrorMap(DocumentException.class, this::located)
        .map(this::progress);
  }

  private JsonNode last(Buffer answer) {
    String lines = answer.toString(StandardCharsets.UTF_8).strip();
    String last = lines.substring(lines.lastIndexOf('\n') + 1);
    return rest.line(last.getBytes(StandardCharsets.UTF_8));
  }

  private LoadProgress progress(JsonNode done) {
    entries += done.path("items").asLong();
    bytes += done.path("bytes").asLong();
    Versionstamp stamp = Versionstamp.parse(done.path("versionstamp").asText());
    return new LoadProgress(entries, bytes, stamp, Duration.ofNanos(System.nanoTime() - began));
  }

  /** Returns the error with the position of the item in the load, from its line in the part. */
  private Throwable located(DocumentException e) {
    Matcher place = AT_LINE.matcher(e.detail());
    return place.matches()
        ? new LoadException(e.code(), entries + Long.parseLong(place.group(1)), place.group(2), e)
        : e;
  }

  /** Returns true for a line that begins a new part. */
  private static final class Cut implements Predicate<byte[]> {
    private final long maxItems;
    private final long maxBytes;
    private long items;
    private long bytes;

    Cut(LoadOptions options) {
      maxItems = (long) options.batchEntries() * options.concurrency();
      maxBytes = Math.min(MAX_PART_BYTES, (long) options.batchBytes() * options.concurrency());
    }

    @Override
    public boolean test(byte[] line) {
      items++;
      bytes += line.length + 1L;
      boolean isCut = items > 1 && (items > maxItems || bytes > maxBytes);
      if (isCut) {
        items = 1;
        bytes = line.length + 1L;
      }
      return isCut;
    }
  }
}
