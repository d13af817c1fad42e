package io.kvreactive.internal.value;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class V8RoundTripTest {
  @Property(tries = 3000)
  void roundTripsToTheSameBytes(@ForAll long seed) {
    Object value = RandomValues.of(seed);
    byte[] bytes = V8Encoder.encode(value, bean -> bean);
    Object decoded = V8Decoder.decode(bytes);

    assertThat(V8Encoder.encode(decoded, bean -> bean)).isEqualTo(bytes);
    assertThat(ValueDump.of(decoded)).isEqualTo(ValueDump.of(value));
  }
}
