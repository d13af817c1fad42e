package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

class QueueOptionsTest {
  @ParameterizedTest
  @ValueSource(strings = {"PT24H0.001S", "PT-1S", "PT0.009S", "PT2562047788015215H30M7S"})
  void limitsTheLease(String lease) {
    KvException refused =
        catchThrowableOfType(
            KvException.class, () -> QueueOptions.DEFAULT.withLease(Duration.parse(lease)));
    assertThat(refused.code()).isEqualTo(KvErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void allowsLeasesOfADayAndUnlimitedProcessing() {
    Duration most = Duration.ofSeconds(Long.MAX_VALUE);
    QueueOptions options =
        QueueOptions.of("q").withLease(Duration.ofDays(1)).withMaxProcessing(most);
    assertThat(options.lease()).isEqualTo(Duration.ofDays(1));
    assertThat(options.maxProcessing()).isEqualTo(most);
  }

  @Test
  void keepsUnchangedOptions() {
    Mono<Void> stop = Mono.never();
    QueueOptions options =
        QueueOptions.DEFAULT
            .withStopWhen(stop)
            .withMaxInFlight(3)
            .withQueue("q")
            .withLease(Duration.ofSeconds(1))
            .withMaxProcessing(Duration.ofSeconds(2));
    assertThat(options)
        .isEqualTo(new QueueOptions("q", Duration.ofSeconds(1), 3, Duration.ofSeconds(2), stop));
  }
}
