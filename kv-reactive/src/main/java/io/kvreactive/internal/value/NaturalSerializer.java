package io.kvreactive.internal.value;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A serializer that passes a value to the encoder, unchanged or converted to a natural value. */
final class NaturalSerializer<T> extends JsonSerializer<T> {
  private final Function<T, @Nullable Object> natural;

  NaturalSerializer(Function<T, @Nullable Object> natural) {
    this.natural = natural;
  }

  @Override
  public void serialize(T value, JsonGenerator out, SerializerProvider provider)
      throws IOException {
    out.writeEmbeddedObject(natural.apply(value));
  }

  @Override
  public void serializeWithType(
      T value, JsonGenerator out, SerializerProvider provider, TypeSerializer type)
      throws IOException {
    serialize(value, out, provider);
  }
}
