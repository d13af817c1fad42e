package io.kvreactive.web.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
  private final RateLimiter buckets = new RateLimiter(2, 2, Duration.ofHours(1), 100);

  @Test
  void refusesWhenTheBucketIsEmpty() {
    assertThat(buckets.peek("a")).isZero();
    assertThat(buckets.take("a")).isZero();
    assertThat(buckets.take("a")).isZero();
    assertThat(buckets.peek("a")).isPositive();
    assertThat(buckets.take("a")).isBetween(1L, Duration.ofHours(1).toNanos());
    assertThat(buckets.take("b")).isZero();
  }

  @Test
  void boundsTheNumberOfBuckets() {
    for (int i = 0; i < 10_000; i++) {
      buckets.take("name-" + i);
      buckets.peek("other-" + i);
    }
    assertThat(buckets.size()).isEqualTo(100);
  }

  @Test
  void keepsBucketsInUse() {
    buckets.take("busy");
    buckets.take("busy");
    for (int i = 0; i < 10_000; i++) {
      buckets.take("name-" + i);
      assertThat(buckets.take("busy")).isPositive();
    }
  }

  private static String caller(String address) {
    return ClientAddresses.caller(SocketAddress.inetSocketAddress(1, address));
  }

  @Test
  void treatsAnIpv6NetworkAsOneCaller() {
    assertThat(caller("2001:db8:1:2::1")).isEqualTo(caller("2001:db8:1:2:ffff::9"));
    assertThat(caller("2001:db8:1:2::1")).isNotEqualTo(caller("2001:db8:1:3::1"));
    assertThat(caller("10.0.0.1")).isNotEqualTo(caller("10.0.0.2"));
  }

  @Test
  void recognizesLoopbackAddresses() {
    assertThat(ClientAddresses.isLoopback("localhost")).isTrue();
    assertThat(ClientAddresses.isLoopback("127.1.2.3")).isTrue();
    assertThat(ClientAddresses.isLoopback("[::1]")).isTrue();
    assertThat(ClientAddresses.isLoopback("::1")).isTrue();
    assertThat(ClientAddresses.isLoopback("::")).isFalse();
    assertThat(ClientAddresses.isLoopback("0.0.0.0")).isFalse();
    assertThat(ClientAddresses.isLoopback("128.0.0.1")).isFalse();
    assertThat(ClientAddresses.isLoopback("127.0.0.1.example.com")).isFalse();
  }
}
