package io.kvreactive.web.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class GrantExpirationTest {
  private final BlockingQueue<Object> ended = new LinkedBlockingQueue<>();
  private Vertx vertx;
  private Context context;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
    context = vertx.getOrCreateContext();
  }

  private static Grant until(Instant end, Revocation revocation) {
    return new Grant(
        "t",
        Set.of(AccessRight.READ),
        List.of(),
        Set.of(),
        end,
        revocation,
        InstantSource.system());
  }

  private Runnable watch(Grant grant) throws Exception {
    BlockingQueue<Runnable> cancel = new LinkedBlockingQueue<>();
    context.runOnContext(
        v ->
            cancel.add(
                GrantExpiration.watch(vertx, grant, () -> ended.add(Vertx.currentContext()))));
    return cancel.poll(60, TimeUnit.SECONDS);
  }

  private Object end() throws Exception {
    return ended.poll(60, TimeUnit.SECONDS);
  }

  @Test
  void endsAtTheExpiry() throws Exception {
    watch(until(Instant.now().plusMillis(50), new Revocation()));
    assertThat(end()).isSameAs(context);
  }

  @Test
  void endsAtOnceWhenAlreadyExpired() throws Exception {
    watch(until(Instant.now().minusSeconds(5), Revocation.NEVER));
    assertThat(end()).isSameAs(context);
  }

  @Test
  void endsOnceOnRevocation() throws Exception {
    Revocation revocation = new Revocation();
    watch(until(Instant.now().plusMillis(50), revocation));
    revocation.revoke();
    assertThat(end()).isSameAs(context);
    watch(until(Instant.now().plusMillis(100), new Revocation()));
    assertThat(end()).isNotNull();
    assertThat(ended).as("the time of the first has come meanwhile").isEmpty();
  }

  @Test
  void endsWhenRevokedBefore() throws Exception {
    Revocation revocation = new Revocation();
    revocation.revoke();
    watch(until(Instant.MAX, revocation));
    assertThat(end()).isSameAs(context);
  }

  @Test
  void doesNotEndAfterCancel() throws Exception {
    Revocation revocation = new Revocation();
    Instant end = Instant.now().plusSeconds(1);
    Runnable cancel = watch(until(end, revocation));
    BlockingQueue<Boolean> cancelled = new LinkedBlockingQueue<>();
    context
        .runOnContext( // on the context of the expiry, so that the cancel comes before or after it
            v -> {
              cancel.run();
              ended.clear(); // the expiry may have come first
              cancelled.add(true);
            });
    assertThat(cancelled.poll(60, TimeUnit.SECONDS)).isTrue();
    revocation.revoke();
    watch(until(end.plusMillis(50), Revocation.NEVER));
    assertThat(end()).isNotNull();
    assertThat(ended).isEmpty();
  }
}
