package io.kvreactive.internal.value;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A deserializer of properties that are natural values, such as dates. Other tokens are passed to
 * the default deserializer of the type, if there is one.
 */
final class EmbeddedDeserializer<N, T> extends StdScalarDeserializer<T> {
  private static final long serialVersionUID = 1L;

  private final Class<N> natural;
  private final transient Function<N, T> conversion;
  private final @Nullable JsonDeserializer<T> usual;

  EmbeddedDeserializer(
      Class<T> type,
      Class<N> natural,
      Function<N, T> conversion,
      @Nullable JsonDeserializer<T> usual) {
    super(type);
    this.natural = natural;
    this.conversion = conversion;
    this.usual = usual;
  }

  @Override
  @SuppressWarnings("unchecked") // a problem handler returns a value of this type
  public @Nullable T deserialize(JsonParser in, DeserializationContext context) throws IOException {
    if (in.currentToken() == JsonToken.VALUE_EMBEDDED_OBJECT
        && natural.isInstance(in.getEmbeddedObject())) {
      return conversion.apply(natural.cast(in.getEmbeddedObject()));
    }
    if (usual != null && in.currentToken() != JsonToken.VALUE_EMBEDDED_OBJECT) {
      return usual.deserialize(in, context);
    }
    return (T) context.handleUnexpectedToken(handledType(), in);
  }
}
