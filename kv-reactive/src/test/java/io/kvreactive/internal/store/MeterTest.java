package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kvreactive.LatencySummary;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MeterTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long START =
      Duration.ofNanos(Long.MAX_VALUE).minusSeconds(5).toNanos(); // overflows

  @Test
  void aggregatesLatencies() {
    Latencies latencies = new Latencies(START);
    for (int i = 1; i <= 1000; i++) {
      latencies.record(i * 1000L, START);
    }
    LatencySummary summary = latencies.summary(START);
    assertThat(summary.count()).isEqualTo(1000);
    near(summary.p50(), 500_000);
    near(summary.p90(), 900_000);
    near(summary.p99(), 990_000);
    near(summary.p999(), 999_000);
    near(summary.max(), 1_000_000);
    near(summary.mean(), 500_500);
    assertThat(summary.p999()).isLessThanOrEqualTo(summary.max());
  }

  private static void near(Duration found, long nanos) {
    assertThat(found.toNanos()).isCloseTo(nanos, within(nanos / 90));
  }

  @Test
  void forgetsLatenciesAfterTwoMinutes() {
    Latencies latencies = new Latencies(START);
    assertThat(latencies.summary(START)).isEqualTo(LatencySummary.NONE);
    latencies.record(-1, START);
    latencies.record(5, START + 59 * SECOND);
    latencies.record(6, START + 61 * SECOND);
    assertThat(latencies.summary(START + 70 * SECOND).count()).isEqualTo(3);
    assertThat(latencies.summary(START + 122 * SECOND).count()).isEqualTo(1);
    assertThat(latencies.summary(START + 1000 * SECOND)).isEqualTo(LatencySummary.NONE);
    latencies.record(6, START + 1001 * SECOND);
    assertThat(latencies.summary(START + 1300 * SECOND)).isEqualTo(LatencySummary.NONE);
  }

  @Test
  void measuresTheRateOverTenSeconds() {
    Rate rate = new Rate(START);
    assertThat(rate.perSecond(START)).isZero();
    rate.add(3, START + SECOND / 2);
    assertThat(rate.perSecond(START + SECOND / 2)).isEqualTo(3);
    for (int second = 1; second < 60; second++) {
      rate.add(20, START + second * SECOND);
    }
    assertThat(rate.perSecond(START + 60 * SECOND - 1)).isCloseTo(20, within(0.1));
    assertThat(rate.perSecond(START + 64 * SECOND)).isBetween(8.0, 15.0);
    assertThat(rate.perSecond(START + 70 * SECOND)).isZero();
    rate.add(9, START + 7000 * SECOND);
    assertThat(rate.perSecond(START + 7000 * SECOND)).isEqualTo(1);
  }
}
