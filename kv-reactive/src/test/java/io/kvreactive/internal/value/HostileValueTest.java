package io.kvreactive.internal.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.value.JsSparseArray;
import io.kvreactive.value.JsTypedArray;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Untrusted bytes yield an error with its offset, in little memory and stack. */
class HostileValueTest {
  private static final int SMALL_STACK = 512 * 1024;

  /** Default stack size of a thread on 64-bit Linux. */
  private static final int USUAL_STACK = 1024 * 1024;

  private static final long FIXED_COST = 256 * 1024;

  private final ValueMapper values = new ValueMapper();

  @Test
  void rejectsEveryPrefix() throws Exception {
    onSmallStack(
        () -> {
          for (byte[] bytes : corpus()) {
            Object root = V8Decoder.decode(bytes);
            boolean view = root instanceof byte[] || root instanceof JsTypedArray;
            for (int length = 0; length < bytes.length; length++) {
              byte[] prefix = Arrays.copyOf(bytes, length);
              if (view) {
                readsOrRefuses(prefix); // the buffer without a view is a value too
              } else {
                assertUnreadable(prefix);
              }
            }
          }
          return null;
        });
  }

  @Test
  void readsOrRejectsEveryChangedByte() throws Exception {
    Random random = new Random(7);
    onSmallStack(
        () -> {
          int refused = 0;
          for (byte[] bytes : corpus()) {
            for (int at = 0; at < bytes.length; at++) {
              for (int change :
                  new int[] {0, 0x7F, 0x80, 0xFF, '^', 'V', 'o', 'a', random.nextInt(256)}) {
                byte[] changed = bytes.clone();
                changed[at] = (byte) change;
                refused += readsOrRefuses(changed) ? 0 : 1;
              }
            }
          }
          assertThat(refused).isGreaterThan(1000);
          return null;
        });
  }

  @Test
  void readsOrRejectsNoise() throws Exception {
    Random random = new Random(11);
    String tags = "_0TF-IUNZ\"cS^o{A$a@DyxnzsR;:',B~Vr\\?m.E\0\1\2\3";
    onSmallStack(
        () -> {
          for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[2 + random.nextInt(40)];
            for (int at = 2; at < bytes.length; at++) {
              bytes[at] =
                  (byte)
                      (random.nextInt(4) == 0
                          ? random.nextInt(256)
                          : tags.charAt(random.nextInt(tags.length())));
            }
            bytes[0] = (byte) 0xFF;
            bytes[1] = (byte) random.nextInt(17);
            readsOrRefuses(bytes);
          }
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"4101", "6f220161", "3b", "27", "6101220161", "7263", "5cffffffff0f6f220161"})
  void rejectsDeepNestingOnASmallStack(String opening) throws Exception {
    byte[] level = HexFormat.of().parseHex(opening);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(new byte[] {(byte) 0xFF, 15});
    for (int i = 0; i < 20_000; i++) {
      bytes.writeBytes(level);
    }
    onSmallStack(
        () -> {
          assertUnreadable(bytes.toByteArray()).hasMessageContaining("nests");
          return null;
        });
    onStack(
        USUAL_STACK,
        () -> {
          assertUnreadable(bytes.toByteArray()).hasMessageContaining("nests more than 512 deep");
          return null;
        });
  }

  @Test
  void reportsAnAlmostExhaustedStack() throws Exception {
    List<Object> value = nested(512);
    KvValue deep = values.encode(value);
    for (Runnable work :
        List.<Runnable>of(() -> values.encode(value), () -> values.decode(deep, Object.class))) {
      assertThat(saidAsTheStackFills(work))
          .isNotEmpty()
          .allMatch(message -> message.contains("stack"));
    }
  }

  /**
   * Recurses until even the frames before the work do not fit. Compiled frames are small, so no
   * fixed number suffices.
   */
  private static List<String> saidAsTheStackFills(Runnable work) throws Exception {
    List<String> said = new ArrayList<>();
    onSmallStack(
        () -> {
          for (int used = 0; ; used += 50) {
            try {
              after(used, work);
            } catch (KvException e) {
              said.add(e.getMessage());
            } catch (StackOverflowError e) {
              return null;
            }
          }
        });
    return said;
  }

  private static void after(int frames, Runnable work) {
    if (frames == 0) {
      work.run();
    } else {
      after(frames - 1, work);
    }
  }

  @Test
  void readsConsecutiveCountsWithoutStack() throws Exception {
    byte[] bytes = new byte[60_000];
    Arrays.fill(bytes, (byte) '?');
    bytes[0] = (byte) 0xFF;
    bytes[1] = 15;
    onSmallStack(
        () -> {
          assertUnreadable(bytes);
          return null;
        });
  }

  @Test
  void roundTripsTheDeepestValueOnADefaultStackAndRejectsDeeperOnes() throws Exception {
    onStack(
        USUAL_STACK,
        () -> {
          List<Object> cycle = nested(512);
          innermost(cycle).add(cycle);
          KvValue encoded = values.encode(cycle);
          assertThat(values.encode(values.decode(encoded, Object.class))).isEqualTo(encoded);
          KvValue tree = values.encode(nested(512));
          assertThat(values.encode(values.decode(tree, JsonNode.class))).isEqualTo(tree);
          assertInvalid(nested(513));
          Map<String, Object> maps = new LinkedHashMap<>();
          Map<String, Object> inner = maps;
          for (int i = 0; i < 512; i++) {
            Map<String, Object> next = new LinkedHashMap<>();
            inner.put("a", next);
            inner = next;
          }
          assertInvalid(maps);
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "22ffffffff07", // strings
        "63feffffff07",
        "53ffffffff07",
        "63036100ff", // half a code unit
        "5302c328", // not UTF-8
        "53 03 ed a0 80", // a surrogate in UTF-8
        "41ffffffff07", // dense arrays
        "41ffffffff0f",
        "61ffffffffff01", // a length above 2^32-1
        "6103 4908 30 40 01 03", // an index outside
        "6103 4902 30 4902 30 40 02 03", // an index twice
        "6f 220161 30 220161 30 7b 02", // a name twice
        "6f 220161 30 7b 02", // counts that differ
        "4101 30 24 00 02",
        "4101 30 24 01 01",
        "27 30 2c 02",
        "3b 30 30 3a 01",
        "6f 30 30 7b 01", // an invalid name
        "42ffffffff07", // buffers
        "7eff7fff7f00",
        "7e 02 01 0000", // longer than its maximum
        "42 02 0000 56 42 03 00 00", // views outside
        "42 02 0000 56 42 00 03 00",
        "42 08 0000000000000000 56 46 04 04 00", // not on an element
        "42 02 0000 56 41 00 02 00", // no such kind
        "42 02 0000 56 42 00 02 01", // length-tracking view of a buffer that cannot grow
        "42 02 0000 56 42 00 02 02",
        "7e 02 04 0000 56 42 00 02 00",
        "5e00", // references
        "41015e01240001",
        "6f 220161 5e80808080808080807f 7b01",
        "5a ffffffffffffffff7f", // bigints
        "5a 20 01",
        "49 ffffffffff0f", // more than 32 bits
        "49 ffffffffffffffffffff01", // more than 63 bits
        "72 71 2e", // no such part
        "72 6d 30 2e", // a message that is not a string
        "52 30 00",
        "73 4902",
        "74 00", // transferred, shared and compiled things
        "75 00",
        "77 00",
        "5c 00", // other host objects
        "5cffffffff0f30",
        "2d", // a hole outside an array
        "56 42 00 00 00", // a view of nothing
        "58", // never a tag
        "0000"
      })
  void rejectsMalformedValuesWithTheirOffset(String hex) {
    byte[] body = HexFormat.of().parseHex(hex.replace(" ", ""));
    byte[] bytes = new byte[body.length + 2];
    bytes[0] = (byte) 0xFF;
    bytes[1] = 15;
    System.arraycopy(body, 0, bytes, 2, body.length);
    assertUnreadable(bytes).hasMessageMatching("(?s).* at offset \\d+");
    assertSmall(bytes);
  }

  @Test
  void rejectsMalformedHeaders() {
    for (String hex : List.of("", "ff", "00", "22016f", "ff1130", "ffffffffffffffffffff7f30")) {
      assertUnreadable(HexFormat.of().parseHex(hex));
    }
  }

  @Test
  void allocatesByTheActualBytes() {
    // nested arrays that each declare all remaining bytes
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(new byte[] {(byte) 0xFF, 15});
    for (int i = 0; i < 500; i++) {
      bytes.writeBytes(HexFormat.of().parseHex("41c0b803"));
    }
    bytes.writeBytes(new byte[60_000]);
    assertSmall(bytes.toByteArray());

    // a sparse array of 2^32-1 holes, and a buffer that may grow to 2^53
    assertSmall(HexFormat.of().parseHex("ff0f61ffffffff0f4000ffffffff0f"));
    assertSmall(HexFormat.of().parseHex("ff0f7e00ffffffffffffff0f"));
  }

  @Test
  void doesNotUnfoldSharedObjectsEndlessly() {
    Object laughs = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      laughs = new ArrayList<>(Arrays.asList(laughs, laughs));
    }
    KvValue bomb = values.encode(laughs);
    assertThat(bomb.bytes().length).isLessThan(1000);
    assertThat((List<?>) values.decode(bomb, List.class)).hasSize(2);
    assertUnreadable(() -> values.decode(bomb, JsonNode.class)).hasMessageContaining("unfolds");

    KvValue holes = values.encode(new JsSparseArray(JsSparseArray.MAX_LENGTH));
    assertUnreadable(() -> values.decode(holes, JsonNode.class)).hasMessageContaining("unfolds");

    Map<String, Object> cycle = new LinkedHashMap<>();
    cycle.put("self", cycle);
    KvValue endless = values.encode(cycle);
    assertUnreadable(() -> values.decode(endless, JsonNode.class)).hasMessageContaining("itself");
  }

  private static List<byte[]> corpus() {
    List<byte[]> corpus = new ArrayList<>();
    for (long seed = 0; seed < 60; seed++) {
      corpus.add(V8Encoder.encode(RandomValues.of(seed), bean -> bean));
    }
    return corpus;
  }

  private boolean readsOrRefuses(byte[] bytes) {
    try {
      V8Decoder.decode(bytes);
      return true;
    } catch (KvException e) {
      assertThat(e.code()).isEqualTo(KvErrorCode.UNREADABLE_VALUE);
      return false;
    }
  }

  private static List<Object> nested(int depth) {
    List<Object> list = new ArrayList<>();
    for (int i = 1; i < depth; i++) {
      list = new ArrayList<>(List.of(list));
    }
    return list;
  }

  @SuppressWarnings("unchecked")
  private static List<Object> innermost(List<Object> list) {
    List<Object> inner = list;
    while (!inner.isEmpty()) {
      inner = (List<Object>) inner.get(0);
    }
    return inner;
  }

  private void assertInvalid(Object value) {
    assertThatThrownBy(() -> values.encode(value))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_VALUE))
        .hasMessageContaining("nests");
  }

  private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable>
      assertUnreadable(byte[] bytes) {
    return assertUnreadable(() -> V8Decoder.decode(bytes));
  }

  private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable>
      assertUnreadable(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.UNREADABLE_VALUE));
  }

  /** At most 64 bytes of heap per byte of input, and a fixed cost for the error itself. */
  private void assertSmall(byte[] bytes) {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    readsOrRefuses(bytes);
    long before = threads.getCurrentThreadAllocatedBytes();
    readsOrRefuses(bytes);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(64L * bytes.length + FIXED_COST);
  }

  private static void onSmallStack(Callable<Void> work) throws Exception {
    onStack(SMALL_STACK, work);
  }

  private static void onStack(int bytes, Callable<Void> work) throws Exception {
    FutureTask<Void> task = new FutureTask<>(work);
    Thread thread = new Thread(null, task, "stack of " + bytes, bytes);
    thread.start();
    task.get();
  }
}
