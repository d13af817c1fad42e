package io.kvreactive.documents.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import reactor.core.Disposables;

/** The bounds of results that are held for later pages. */
class HeldResultsTest {
  private static final Object STORE = new Object();

  private final Deque<Runnable> timers = new ArrayDeque<>();
  private final HeldResults results =
      new HeldResults(
          100,
          (work, seconds) -> {
            timers.add(work);
            return Disposables.disposed();
          });

  private static HeldResults.Key key(String id, String caller) {
    return new HeldResults.Key(STORE, id, "query", "1", caller);
  }

  private HeldResults.Key put(String id, String caller, int bytes) {
    HeldResults.Key key = key(id, caller);
    results.put(key, () -> bytes);
    return key;
  }

  @Test
  void dropsTheResultsThatWereNotReadLongest() {
    HeldResults.Key a = put("a", null, 40);
    HeldResults.Key b = put("b", null, 40);
    assertThat(results.get(a)).isNotNull();
    HeldResults.Key c = put("c", null, 60);
    assertThat(results.get(b)).isNull();
    assertThat(results.get(a)).isNotNull();
    assertThat(results.get(c)).isNotNull();
    assertThat(results.bytes()).isEqualTo(100);
    assertThat(results.get(put("large", null, 101))).isNull();
  }

  @Test
  void givesOneCallerHalfOfTheMemory() {
    HeldResults.Key other = put("a", "other", 50);
    HeldResults.Key first = put("b", "caller", 30);
    HeldResults.Key second = put("c", "caller", 30);
    assertThat(results.get(first)).isNull();
    assertThat(results.get(second)).isNotNull();
    assertThat(results.get(other)).isNotNull();
    assertThat(results.get(put("d", "caller", 51))).isNull();
    assertThat(results.get(key("a", "caller"))).as("of another caller").isNull();
  }

  @Test
  void forgetsTheResultsOfAClosedStore() {
    put("a", null, 40);
    HeldResults.Key other = new HeldResults.Key(new Object(), "b", "query", "1", null);
    results.put(other, () -> 30);
    results.close(STORE);
    assertThat(results.bytes()).isEqualTo(30);
    results.remove(other);
    assertThat(results.bytes()).isZero();
  }

  @Test
  void keepsATimerWhileResultsAreHeld() {
    put("a", null, 40);
    assertThat(timers).hasSize(1);
    timers.remove().run();
    assertThat(timers).as("not expired yet").hasSize(1);
    results.close(STORE);
    timers.remove().run();
    assertThat(timers).isEmpty();
  }
}
