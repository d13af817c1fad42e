package io.kvreactive.web.internal.rest;

import io.kvreactive.KvEntry;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.http.ResponseStream;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Writes entries of one version as a JSON object, with the demand of the connection. Holds at most
 * one buffer and one entry, regardless of the total size.
 */
final class EntryArray {
  private static final int BUFFER_BYTES = 32 << 10;

  private final RoutingContext context;
  private @Nullable Versionstamp snapshot;
  private int bytes;

  private EntryArray(RoutingContext context) {
    this.context = context;
  }

  /**
   * Answers a request.
   *
   * @param entries at least one entry; must emit on the Vert.x context that is current at subscribe
   */
  static void answer(RoutingContext context, Flux<KvEntry<KvValue>> entries) {
    EntryArray array = new EntryArray(context);
    context
        .response()
        .putHeader("Content-Type", Responses.JSON)
        .putHeader("Cache-Control", "no-store");
    ResponseStream.write(
        context,
        entries
            .map(array::element)
            .bufferUntil(array::isFull)
            .map(EntryArray::joined)
            .concatWith(Flux.defer(() -> Flux.just(array.end()))));
  }

  private byte[] element(KvEntry<KvValue> entry) {
    byte[] json = StrictJson.bytes(EntryJson.of(entry));
    byte[] before = bytes(snapshot == null ? "{\"entries\":[" : ",");
    if (snapshot == null) {
      snapshot = entry.snapshot();
      Responses.stamp(context, entry.snapshot());
    }
    byte[] whole = new byte[before.length + json.length];
    System.arraycopy(before, 0, whole, 0, before.length);
    System.arraycopy(json, 0, whole, before.length, json.length);
    return whole;
  }

  private boolean isFull(byte[] last) {
    bytes += last.length;
    if (bytes < BUFFER_BYTES) {
      return false;
    }
    bytes = 0;
    return true;
  }

  private static Buffer joined(List<byte[]> elements) {
    Buffer buffer = Buffer.buffer();
    elements.forEach(buffer::appendBytes);
    return buffer;
  }

  private Buffer end() {
    return Buffer.buffer(bytes("],\"versionstamp\":\"" + snapshot + "\"}"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
