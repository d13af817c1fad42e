package io.kvreactive.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.std.StdDelegatingSerializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.util.StdConverter;
import io.kvreactive.value.JsDate;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.Serial;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A Jackson module for all Java objects that become stored data. Converts the JSON types of Vert.x
 * and rejects objects that are not data, which Jackson would take for beans.
 */
final class DataModule extends SimpleModule {
  @Serial private static final long serialVersionUID = 1;

  private static final double MAX_SAFE = 0x1p53;

  DataModule() {
    super("kv-reactive data");
    addSerializer(new ObjectSerializer());
    addSerializer(new ArraySerializer());
    addSerializer(new BufferSerializer());
    addSerializer(converted(LongAdder.class, LongAdder::sum));
    addSerializer(converted(DoubleAdder.class, DoubleAdder::sum));
    addDeserializer(
        JsonObject.class,
        new TreeDeserializer<>(
            JsonObject.class, JsonToken.START_OBJECT, in -> new JsonObject(object(in))));
    addDeserializer(
        JsonArray.class,
        new TreeDeserializer<>(
            JsonArray.class, JsonToken.START_ARRAY, in -> new JsonArray(array(in))));
    addDeserializer(Buffer.class, new BufferDeserializer());
    setSerializerModifier(new Refusal());
  }

  private static <T> JsonSerializer<?> converted(Class<T> type, Function<T, ?> conversion) {
    return new StdDelegatingSerializer(
        type,
        new StdConverter<T, Object>() {
          @Override
          public Object convert(T value) {
            return conversion.apply(value);
          }
        });
  }

  /** Replaces the serializers of types that are not data. */
  private static final class Refusal extends BeanSerializerModifier {
    @Serial private static final long serialVersionUID = 1;

    @Override
    public JsonSerializer<?> modifySerializer(
        SerializationConfig config, BeanDescription bean, JsonSerializer<?> serializer) {
      return DataTypes.isData(bean.getBeanClass(), serializer)
          ? serializer
          : new RefusingSerializer(bean.getBeanClass());
    }

    @Override
    public JsonSerializer<?> modifyKeySerializer(
        SerializationConfig config, JavaType type, BeanDescription bean, JsonSerializer<?> keys) {
      return DataTypes.isKey(bean.getBeanClass(), keys)
          ? keys
          : new RefusingSerializer(bean.getBeanClass());
    }
  }

  private static final class RefusingSerializer extends StdSerializer<Object> {
    @Serial private static final long serialVersionUID = 1;

    RefusingSerializer(Class<?> type) {
      super(type, false);
    }

    @Override
    public void serialize(Object value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      provider.reportMappingProblem(
          "%s is not data (expected: text, a number, a boolean, a date, bytes, a list, a map, a"
              + " record or a bean)",
          value.getClass().getName());
    }

    @Override
    public void serializeWithType(
        Object value, JsonGenerator out, SerializerProvider provider, TypeSerializer type)
        throws IOException {
      serialize(value, out, provider);
    }
  }

  /**
   * Writes a JsonObject as Vert.x does: its instants and bytes are text, and its other elements are
   * converted as elsewhere.
   */
  private static final class ObjectSerializer extends StdSerializer<JsonObject> {
    @Serial private static final long serialVersionUID = 1;

    ObjectSerializer() {
      super(JsonObject.class);
    }

    @Override
    public void serialize(JsonObject object, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeStartObject(object);
      for (Map.Entry<String, @Nullable Object> member : object) {
        try {
          provider.defaultSerializeField(member.getKey(), member.getValue(), out);
        } catch (IOException | RuntimeException e) {
          wrapAndThrow(provider, e, object, member.getKey());
        }
      }
      out.writeEndObject();
    }

    @Override
    public void serializeWithType(
        JsonObject object, JsonGenerator out, SerializerProvider provider, TypeSerializer type)
        throws IOException {
      serialize(object, out, provider);
    }
  }

  /** Writes a JsonArray as {@link ObjectSerializer} writes an object. */
  private static final class ArraySerializer extends StdSerializer<JsonArray> {
    @Serial private static final long serialVersionUID = 1;

    ArraySerializer() {
      super(JsonArray.class);
    }

    @Override
    public void serialize(JsonArray array, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeStartArray(array, array.size());
      int index = 0;
      for (Object element : array) {
        try {
          provider.defaultSerializeValue(element, out);
        } catch (IOException | RuntimeException e) {
          wrapAndThrow(provider, e, array, index);
        }
        index++;
      }
      out.writeEndArray();
    }

    @Override
    public void serializeWithType(
        JsonArray array, JsonGenerator out, SerializerProvider provider, TypeSerializer type)
        throws IOException {
      serialize(array, out, provider);
    }
  }

  /** Writes a buffer in the JSON form of Vert.x: base64url without padding. */
  private static final class BufferSerializer extends StdSerializer<Buffer> {
    @Serial private static final long serialVersionUID = 1;

    BufferSerializer() {
      super(Buffer.class);
    }

    @Override
    public void serialize(Buffer buffer, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeString(Base64.getUrlEncoder().withoutPadding().encodeToString(buffer.getBytes()));
    }

    @Override
    public void serializeWithType(
        Buffer buffer, JsonGenerator out, SerializerProvider provider, TypeSerializer type)
        throws IOException {
      serialize(buffer, out, provider);
    }
  }

  /** Reads bytes, or base64 text of either alphabet. */
  private static final class BufferDeserializer extends StdScalarDeserializer<Buffer> {
    @Serial private static final long serialVersionUID = 1;

    BufferDeserializer() {
      super(Buffer.class);
    }

    @Override
    public @Nullable Buffer deserialize(JsonParser in, DeserializationContext context)
        throws IOException {
      if (in.currentToken() == JsonToken.VALUE_EMBEDDED_OBJECT
          && in.getEmbeddedObject() instanceof byte[] bytes) {
        return Buffer.buffer(bytes);
      }
      if (in.currentToken() != JsonToken.VALUE_STRING) {
        return (Buffer) context.handleUnexpectedToken(Buffer.class, in);
      }
      String text = in.getText();
      try {
        return Buffer.buffer(
            Base64.getUrlDecoder().decode(text.replace('+', '-').replace('/', '_')));
      } catch (IllegalArgumentException e) {
        return (Buffer) context.handleWeirdStringValue(Buffer.class, text, "not base64");
      }
    }
  }

  private interface TreeReader<T> {
    T read(JsonParser in) throws IOException;
  }

  private static final class TreeDeserializer<T> extends StdScalarDeserializer<T> {
    @Serial private static final long serialVersionUID = 1;

    private final JsonToken start;
    private final transient TreeReader<T> reader;

    TreeDeserializer(Class<T> type, JsonToken start, TreeReader<T> reader) {
      super(type);
      this.start = start;
      this.reader = reader;
    }

    @Override
    @SuppressWarnings("unchecked") // a problem handler returns a value of this type
    public @Nullable T deserialize(JsonParser in, DeserializationContext context)
        throws IOException {
      return in.currentToken() == start
          ? reader.read(in)
          : (T) context.handleUnexpectedToken(handledType(), in);
    }
  }

  private static Map<String, @Nullable Object> object(JsonParser in) throws IOException {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (in.nextToken() != JsonToken.END_OBJECT) {
      String name = in.currentName();
      in.nextToken();
      object.put(name, value(in));
    }
    return object;
  }

  private static List<@Nullable Object> array(JsonParser in) throws IOException {
    List<@Nullable Object> array = new ArrayList<>();
    while (in.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(in));
    }
    return array;
  }

  private static @Nullable Object value(JsonParser in) throws IOException {
    return switch (in.currentToken()) {
      case START_OBJECT -> object(in);
      case START_ARRAY -> array(in);
      case VALUE_STRING -> in.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(in.getNumberValue());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_EMBEDDED_OBJECT -> embedded(in.getEmbeddedObject());
      default -> null;
    };
  }

  /** Returns a Long for a whole number that JSON writes without a point, as a parser would. */
  private static Number number(Number number) {
    if (number instanceof BigInteger big && big.bitLength() < Long.SIZE) {
      return big.longValue();
    }
    if (number instanceof Double d && d != d.intValue() && d == Math.rint(d)) {
      return Math.abs(d) <= MAX_SAFE ? (Number) d.longValue() : d;
    }
    return number;
  }

  private static @Nullable Object embedded(@Nullable Object natural) {
    return natural instanceof JsDate date && date.isValid() ? date.instant() : natural;
  }
}
