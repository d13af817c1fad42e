package io.kvreactive.internal.json;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.value.JsArrayBuffer;
import io.kvreactive.value.JsTypedArray;
import io.kvreactive.value.JsTypedArray.Kind;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** JSON of array buffers of fixed size, and of typed arrays that cover a whole buffer. */
final class BufferJson {
  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          entry("Int8Array", Kind.INT8),
          entry("Uint8Array", Kind.UINT8),
          entry("Uint8ClampedArray", Kind.UINT8_CLAMPED),
          entry("Int16Array", Kind.INT16),
          entry("Uint16Array", Kind.UINT16),
          entry("Int32Array", Kind.INT32),
          entry("Uint32Array", Kind.UINT32),
          entry("Float16Array", Kind.FLOAT16),
          entry("Float32Array", Kind.FLOAT32),
          entry("Float64Array", Kind.FLOAT64),
          entry("BigInt64Array", Kind.BIG_INT64),
          entry("BigUint64Array", Kind.BIG_UINT64),
          entry("DataView", Kind.DATA_VIEW));

  private static final Map<Kind, String> NAMES =
      KINDS.entrySet().stream()
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getValue, Map.Entry::getKey));

  private BufferJson() {}

  /** Returns the JSON of a buffer, or null if the buffer is resizable. */
  static @Nullable JsonNode toJson(JsArrayBuffer buffer) {
    return buffer.isResizable()
        ? null
        : JsonTag.ARRAY_BUFFER.with(TagPayloads.base64(buffer.bytes()));
  }

  /**
   * Returns the JSON of a view that covers a whole buffer of fixed size, or null for other views.
   */
  static @Nullable JsonNode toJson(JsTypedArray view) {
    JsArrayBuffer buffer = view.buffer();
    if (buffer.isResizable() || view.byteLength() != buffer.byteLength()) {
      return null;
    }
    ObjectNode record = JsonNodeFactory.instance.objectNode();
    record.put("type", NAMES.get(view.kind()));
    record.put("bytes", TagPayloads.base64(buffer.bytes()));
    return JsonTag.TYPED_ARRAY.with(record);
  }

  static JsTypedArray typedArray(JsonNode payload, JsonPosition at) {
    TagPayloads.requireRecord(payload, at, List.of("type", "bytes"));
    at.enter("type");
    JsonNode type = payload.path("type");
    Kind kind = KINDS.get(type.asText());
    if (kind == null) {
      throw at.invalid(type, "the name of a typed array, or DataView");
    }
    at.leave();
    at.enter("bytes");
    byte[] bytes = TagPayloads.base64(payload.path("bytes"), at);
    if (bytes.length % kind.elementSize() != 0) {
      throw at.invalid(
          payload.path("bytes"),
          "elements of " + kind.elementSize() + " bytes, not " + bytes.length);
    }
    at.leave();
    return JsTypedArray.of(kind, bytes);
  }
}
