package io.kvreactive.internal.value;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A deserializer of numbers without loss: from int32, double and bigint to the Java type of a
 * property.
 */
final class NumberDeserializer<T> extends StdScalarDeserializer<T> {
  private static final long serialVersionUID = 1L;

  private final Class<T> type;
  private final @Nullable T whenNull;

  NumberDeserializer(Class<T> type, @Nullable T whenNull) {
    super(type);
    this.type = type;
    this.whenNull = whenNull;
  }

  @Override
  public @Nullable T deserialize(JsonParser in, DeserializationContext context) throws IOException {
    JsonToken token = in.currentToken();
    if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
      T number = Scalars.number(in.getNumberValue(), type);
      if (number != null) {
        return number;
      }
      context.reportInputMismatch(type, "%s does not fit", in.getNumberValue());
    }
    @SuppressWarnings("unchecked") // a problem handler returns a value of this type
    T replaced = (T) context.handleUnexpectedToken(type, in);
    return replaced;
  }

  @Override
  public @Nullable T getNullValue(DeserializationContext context) {
    return whenNull;
  }
}
