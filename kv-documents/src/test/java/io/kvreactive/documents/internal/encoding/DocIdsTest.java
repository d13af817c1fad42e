package io.kvreactive.documents.internal.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class DocIdsTest {
  @Property
  void keepsOrderAndValue(@ForAll @LongRange(min = 1) long a, @ForAll @LongRange(min = 1) long b) {
    byte[] first = DocIds.encode(a);
    assertThat(DocIds.read(first, 0)).isEqualTo(a);
    assertThat(Integer.signum(Arrays.compareUnsigned(first, DocIds.encode(b))))
        .isEqualTo(Long.compare(a, b));
    assertThat(first[0] & 0xFF).isBetween(0x81, 0x88);
  }

  @Example
  void encodesSmallNumbersInFewBytes() {
    assertThat(DocIds.encode(1)).containsExactly(0x81, 1);
    assertThat(DocIds.encode(255)).containsExactly(0x81, 0xFF);
    assertThat(DocIds.encode(256)).containsExactly(0x82, 1, 0);
    assertThat(DocIds.encode(Long.MAX_VALUE)).hasSize(9);
  }

  @Example
  void rejectsBytesThatAreNotANumber() {
    assertThatThrownBy(() -> DocIds.encode(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> DocIds.read(new byte[] {1}, 0)).hasMessageContaining("at 0");
    assertThatThrownBy(() -> DocIds.read(new byte[] {1}, 1)).hasMessageContaining("at 1");
    assertThatThrownBy(() -> DocIds.read(new byte[] {(byte) 0x82, 1}, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
