package io.kvreactive.internal.value;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsUndefined;
import java.io.IOException;
import java.lang.reflect.Type;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Between Java objects and stored values. The natural types (see {@code io.kvreactive.value}) go
 * straight to and from the bytes; records, beans and enums go by way of Jackson.
 *
 * <p>The Java type of a scalar decides how it is stored, never its value. Reading is more tolerant:
 * a number is given in every number type that holds it exactly.
 *
 * <p>Safe for use by many threads; make one and share it.
 */
public final class ValueMapper {
  /** The depth to which values may nest. */
  public static final int MAX_DEPTH = V8Tag.MAX_DEPTH;

  private final ObjectMapper mapper;

  /** A mapper with the default way of treating beans: unknown properties are ignored. */
  public ValueMapper() {
    this(defaultMapper());
  }

  /**
   * A mapper that treats beans as another one does.
   *
   * @param mapper copied; dates, bytes, bigints and the like are stored as JavaScript's own
   *     whatever it says
   */
  public ValueMapper(ObjectMapper mapper) {
    this.mapper = mapper.copy().registerModule(new ValueModule());
  }

  private static ObjectMapper defaultMapper() {
    return JsonMapper.builder()
        .addModule(new Jdk8Module())
        .addModule(new JavaTimeModule())
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
        .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
        .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .build();
  }

  /**
   * Encodes a value: a KvU64 as LE64, a {@code byte[]} as BYTES, a KvValue as it is, everything
   * else in V8's format.
   *
   * @throws KvException INVALID_VALUE when something in it has no form, or it nests too deeply
   */
  public KvValue encode(@Nullable Object value) {
    if (value instanceof KvValue encoded) {
      return encoded;
    }
    if (value instanceof byte[] bytes) {
      return new KvValue(Encoding.BYTES, bytes);
    }
    if (value instanceof KvU64 number) {
      byte[] eight = new byte[8];
      LittleEndian.put(eight, 0, number.bits());
      return new KvValue(Encoding.LE64, eight);
    }
    return new KvValue(Encoding.V8, V8Encoder.encode(value, this::treeOf));
  }

  private @Nullable Object treeOf(Object bean) {
    if (bean instanceof JsonNode node) {
      return JsonTrees.naturalOf(node);
    }
    TreeGenerator tree = new TreeGenerator(mapper);
    try {
      mapper.writeValue(tree, bean);
    } catch (IOException | StackOverflowError e) {
      Throwable reason = e.getCause() instanceof KvException ? e.getCause() : e;
      throw new KvException(
          KvErrorCode.INVALID_VALUE,
          "value of type " + bean.getClass().getName() + ": " + reason.getMessage(),
          e);
    }
    return tree.root();
  }

  /**
   * Decodes a value: {@code Object} for the natural type, {@code KvValue} for the stored bytes,
   * everything else when it fits. JavaScript's null is null, and so is undefined except for {@code
   * Object}.
   *
   * @throws KvException UNREADABLE_VALUE when the bytes are no value, or not of that type
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
    @SuppressWarnings("unchecked") // Jackson makes what it is asked for; primitives box
    T bean = (T) bean(natural, mapper.constructType(type));
    return bean;
  }

  /**
   * Decodes a value of a generic type, as {@link #decode(KvValue, Class)} does.
   *
   * @param type a class, a parameterized type or a Jackson {@link JavaType}
   * @throws KvException UNREADABLE_VALUE when the bytes are no value, or not of that type
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
   * Returns the value with the version in its header that {@link #encode} writes, when its own
   * means the same; else as it is.
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

  /** Returns the types for which there is no other way than those above. */
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
    try (TokenBuffer tokens = TreeTokens.of(natural, json)) {
      return mapper.readValue(tokens.asParserOnFirstToken(), type);
    } catch (IOException | RuntimeException | StackOverflowError e) {
      if (e instanceof KvException known && known.code() == KvErrorCode.UNREADABLE_VALUE) {
        throw known;
      }
      throw mismatch(type, natural, e);
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
