package io.kvreactive.internal.value;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsUndefined;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts Java objects to stored values and back. The natural types (see {@code
 * io.kvreactive.value}) are converted to and from bytes directly; records, beans and enums through
 * Jackson.
 *
 * <p>The Java type of a scalar decides its encoding, never its value. Reading is more tolerant: a
 * number can be read as every number type that represents it exactly.
 *
 * <p>Thread-safe; meant to be shared.
 */
public final class ValueMapper {
  /** Maximum nesting depth of values. */
  public static final int MAX_DEPTH = V8Tag.MAX_DEPTH;

  private final ObjectMapper mapper;

  /** Creates a mapper with the default treatment of beans: unknown properties are ignored. */
  public ValueMapper() {
    this(JsonSyntax.beans().build());
  }

  /**
   * Creates a mapper with the settings of another mapper for beans.
   *
   * @param mapper the other mapper, which is copied; dates, bytes, bigints and the like are stored
   *     as JavaScript's own types whatever its settings
   */
  public ValueMapper(ObjectMapper mapper) {
    this.mapper = mapper.copy().registerModule(JsonSyntax.data()).registerModule(new ValueModule());
  }

  /**
   * Encodes a value: a KvU64 as LE64, a {@code byte[]} or a Buffer as BYTES, a KvValue unchanged,
   * everything else in V8's format.
   *
   * @throws KvException INVALID_VALUE if a part of it has no structured-clone form, or it nests too
   *     deeply
   */
  public KvValue encode(@Nullable Object value) {
    if (value instanceof KvValue encoded) {
      return encoded;
    }
    if (value instanceof byte[] bytes) {
      return new KvValue(Encoding.BYTES, bytes);
    }
    if (value instanceof Buffer buffer) {
      return new KvValue(Encoding.BYTES, buffer.getBytes());
    }
    if (value instanceof KvU64 number) {
      byte[] eight = new byte[8];
      LittleEndian.put(eight, 0, number.bits());
      return new KvValue(Encoding.LE64, eight);
    }
    return new KvValue(Encoding.V8, V8Encoder.encode(value, this::treeOf));
  }

  private @Nullable Object treeOf(Object bean) {
    if (JsonTrees.isTree(bean)) {
      return JsonTrees.naturalOf(bean);
    }
    TreeGenerator tree = new TreeGenerator(mapper);
    try {
      mapper.writeValue(tree, bean);
    } catch (JsonProcessingException e) {
      List<Object> path = JsonSyntax.path(e);
      String type = path.isEmpty() ? " of type " + bean.getClass().getName() : "";
      String reason =
          e.getCause() instanceof KvException known ? known.getMessage() : e.getOriginalMessage();
      throw V8Encoder.invalid(
          path, new KvException(KvErrorCode.INVALID_VALUE, "value" + type + ": " + reason, e));
    } catch (IOException | StackOverflowError e) {
      throw new KvException(
          KvErrorCode.INVALID_VALUE,
          "value of type " + bean.getClass().getName() + ": " + e.getMessage(),
          e);
    }
    return tree.root();
  }

  /**
   * Decodes a value: {@code Object} for the natural type, {@code KvValue} for the stored bytes, any
   * other type if the value fits. JavaScript's null is null, and so is undefined except for {@code
   * Object}.
   *
   * @throws KvException UNREADABLE_VALUE if the bytes are malformed, or the value is not of that
   *     type
   */
  public <T> @Nullable T decode(KvValue value, Class<T> type) {
    if (type == KvValue.class) {
      return type.cast(value);
    }
    Object natural = natural(value);
    if (type.isInstance(natural)) {
      return type.cast(natural);
    }
    if (natural == null || natural == JsUndefined.UNDEFINED) {
      return null;
    }
    T scalar = scalar(natural, type);
    if (scalar != null) {
      return scalar;
    }
    if (isScalar(type) || (natural instanceof JsDate date && !date.isValid())) {
      throw mismatch(type, natural, null);
    }
    @SuppressWarnings("unchecked") // Jackson returns the requested type; primitives are boxed
    T bean = (T) bean(natural, mapper.constructType(type));
    return bean;
  }

  /**
   * Decodes a value of a generic type, as {@link #decode(KvValue, Class)} does.
   *
   * @param type a class, a parameterized type or a Jackson {@link JavaType}
   * @throws KvException UNREADABLE_VALUE if the bytes are malformed, or the value is not of that
   *     type
   */
  public @Nullable Object decode(KvValue value, Type type) {
    if (type instanceof Class<?> plain) {
      return decode(value, plain);
    }
    Object natural = natural(value);
    return natural == null || natural == JsUndefined.UNDEFINED
        ? null
        : bean(natural, mapper.constructType(type));
  }

  /**
   * Returns the value with the header version that {@link #encode} writes, if its own version is
   * equivalent; else the value unchanged.
   */
  public static KvValue withOurVersion(KvValue value) {
    byte[] bytes = value.bytes();
    if (value.encoding() != Encoding.V8
        || bytes.length < 2
        || bytes[0] != (byte) V8Tag.VERSION
        || bytes[1] < V8Tag.MIN_COMPATIBLE_VERSION
        || bytes[1] > V8Tag.MAX_VERSION
        || bytes[1] == V8Tag.WRITE_VERSION) {
      return value;
    }
    byte[] ours = bytes.clone();
    ours[1] = V8Tag.WRITE_VERSION;
    return new KvValue(Encoding.V8, ours);
  }

  private static @Nullable Object natural(KvValue value) {
    return switch (value.encoding()) {
      case V8 -> V8Decoder.decode(value.bytes());
      case LE64 -> new KvU64(LittleEndian.get(value.bytes(), 0));
      case BYTES -> value.bytes();
    };
  }

  private static <T> @Nullable T scalar(Object natural, Class<T> type) {
    if (natural instanceof Number number) {
      return Scalars.number(number, type);
    }
    if (natural instanceof KvU64 number) {
      return Scalars.number(number.value(), type);
    }
    if (natural instanceof JsDate date && type == Instant.class && date.isValid()) {
      return type.cast(date.instant());
    }
    return null;
  }

  /** Returns true for a type that has no other conversion than those above. */
  private static boolean isScalar(Class<?> type) {
    return type == String.class
        || type == Integer.class
        || type == Long.class
        || type == Double.class
        || type == Boolean.class
        || type == KvU64.class;
  }

  private @Nullable Object bean(Object natural, JavaType type) {
    boolean json = JsonNode.class.isAssignableFrom(type.getRawClass());
    UnknownProperties unknown = new UnknownProperties();
    try (TokenBuffer tokens = TreeTokens.of(natural, json)) {
      Object bean =
          mapper.readerFor(type).withHandler(unknown).readValue(tokens.asParserOnFirstToken());
      if (unknown.count > 0
          && natural instanceof Map<?, ?> object
          && unknown.count == object.size()) {
        throw new KvException(
            KvErrorCode.UNREADABLE_VALUE,
            "value: "
                + JsTypeNames.of(natural)
                + " does not fit "
                + type.getTypeName()
                + ": the type has none of its properties");
      }
      return bean;
    } catch (IOException | RuntimeException | StackOverflowError e) {
      if (e instanceof KvException known && known.code() == KvErrorCode.UNREADABLE_VALUE) {
        throw known;
      }
      throw mismatch(type, natural, e);
    }
  }

  /** Counts the properties of the outermost object that its type does not have. */
  private static final class UnknownProperties extends DeserializationProblemHandler {
    private int count;

    @Override
    public boolean handleUnknownProperty(
        DeserializationContext context,
        JsonParser parser,
        JsonDeserializer<?> deserializer,
        Object beanOrClass,
        String name) {
      JsonStreamContext parent = parser.getParsingContext().getParent();
      if (parent != null && parent.inRoot()) {
        count++;
      }
      return false; // as the mapper is configured
    }
  }

  private static KvException mismatch(Type type, Object natural, @Nullable Throwable cause) {
    String reason =
        cause instanceof JsonProcessingException json
            ? ": " + json.getOriginalMessage()
            : cause == null ? "" : ": " + cause.getMessage();
    return new KvException(
        KvErrorCode.UNREADABLE_VALUE,
        "value: " + JsTypeNames.of(natural) + " does not fit " + type.getTypeName() + reason,
        cause);
  }
}
