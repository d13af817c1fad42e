package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KvLimitsTest {
  static Stream<RecordComponent> components() {
    return Arrays.stream(KvLimits.class.getRecordComponents());
  }

  @ParameterizedTest
  @MethodSource("components")
  void changesEachLimitIndependently(RecordComponent component) throws Exception {
    Object value = 4097;
    KvLimits changed = (KvLimits) with(component).invoke(KvLimits.DENO, value);
    for (RecordComponent other : KvLimits.class.getRecordComponents()) {
      Object expected =
          other.getName().equals(component.getName())
              ? value
              : other.getAccessor().invoke(KvLimits.DENO);
      if (component.getName().equals("maxKeyBytes") && other.getName().equals("maxReadKeyBytes")) {
        expected = 4097 + KvLimits.VERSIONSTAMP_SUFFIX_BYTES + 1;
      }
      assertThat(other.getAccessor().invoke(changed)).as(other.getName()).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("components")
  void rejectsNegativeLimits(RecordComponent component) {
    Object value = -1;
    assertThatExceptionOfType(InvocationTargetException.class)
        .isThrownBy(() -> with(component).invoke(KvLimits.DEFAULT, value))
        .havingCause()
        .isInstanceOf(KvException.class)
        .withMessageStartingWith("INVALID_ARGUMENT: " + component.getName() + ": ");
  }

  private static Method with(RecordComponent component) throws NoSuchMethodException {
    String name = component.getName();
    return KvLimits.class.getMethod(
        "with" + Character.toUpperCase(name.charAt(0)) + name.substring(1), component.getType());
  }

  @Test
  void allowsLongerKeysForReadsThanForWrites() {
    assertThatExceptionOfType(KvException.class)
        .isThrownBy(() -> KvLimits.DENO.withMaxReadKeyBytes(2048))
        .withMessageContaining("maxReadKeyBytes: 2048 (expected: at least 2049)");
    assertThat(KvLimits.DEFAULT.withMaxKeyBytes(KvLimits.UNLIMITED).maxReadKeyBytes())
        .isEqualTo(KvLimits.UNLIMITED);
    assertThat(KvLimits.DEFAULT.withMaxKeyBytes(100).maxReadKeyBytes()).isEqualTo(2071);
  }

  @Test
  void usesTheLimitsOfDenoByDefault() throws Exception {
    for (RecordComponent component : KvLimits.class.getRecordComponents()) {
      if (component.getType() == int.class) {
        assertThat((int) component.getAccessor().invoke(KvLimits.DEFAULT))
            .as(component.getName())
            .isGreaterThanOrEqualTo((int) component.getAccessor().invoke(KvLimits.DENO));
      }
    }
  }
}
