package io.kvreactive.internal.value;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A deserializer of strings from strings only: a number or bytes are a mismatch. */
final class StringDeserializer extends StdScalarDeserializer<String> {
  private static final long serialVersionUID = 1L;

  StringDeserializer() {
    super(String.class);
  }

  @Override
  public @Nullable String deserialize(JsonParser in, DeserializationContext context)
      throws IOException {
    return in.currentToken() == JsonToken.VALUE_STRING
        ? in.getText()
        : (String) context.handleUnexpectedToken(String.class, in);
  }
}
