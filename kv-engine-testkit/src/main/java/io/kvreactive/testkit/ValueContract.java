package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsUndefined;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Values of every encoding and size are read back as they were written. */
public abstract class ValueContract extends KvContract {
  private static final KvKey K = KvKey.of("k");

  /** A value of a user. */
  record User(String name, int age, List<String> tags) {}

  private static final User ADA = new User("Ada", 36, List.of("math", "poetry"));

  @Test
  public void readsARecordAsRecordAndAsMap() {
    set(K, ADA);
    for (int i = 0; i < 2; i++, settle(), reopen()) {
      assertThat(get(kv.get(K, User.class)).required()).isEqualTo(ADA);
      assertThat(value(K))
          .isEqualTo(Map.of("name", "Ada", "age", 36, "tags", List.of("math", "poetry")));
    }
  }

  @Test
  public void treatsNullAndUndefinedAsPresent() {
    KvKey undefined = KvKey.of("undefined");
    get(kv.set(K, null));
    set(undefined, JsUndefined.UNDEFINED);
    settle();

    KvEntry<Object> entry = get(kv.get(K));
    assertThat(entry.exists()).isTrue();
    assertThat(entry.value()).isNull();
    assertThat(value(undefined)).isSameAs(JsUndefined.UNDEFINED);
    assertThat(get(kv.get(undefined, String.class)).exists()).isTrue();
  }

  @Test
  public void keepsTheEncodingsOfBytesAndU64() {
    KvKey number = KvKey.of("number");
    set(K, new byte[] {1, 2, 3});
    set(number, KvU64.wrapped(-1));
    settle();

    assertThat(value(K)).isEqualTo(new byte[] {1, 2, 3});
    assertThat(get(kv.get(K, KvValue.class)).required().encoding()).isEqualTo(Encoding.BYTES);
    assertThat(value(number)).isEqualTo(KvU64.wrapped(-1));
    assertThat(get(kv.get(number, KvU64.class)).required()).isEqualTo(KvU64.wrapped(-1));
    assertThat(get(kv.get(number, KvValue.class)).required().encoding()).isEqualTo(Encoding.LE64);
  }

  @Test
  public void copiesRawValuesWithoutDecoding() {
    KvValue malformed = new KvValue(Encoding.V8, new byte[] {1, 2, 3});
    set(K, malformed);
    settle();

    assertThat(get(kv.get(K, KvValue.class)).required()).isEqualTo(malformed);
    KvException failure = failure(kv.get(K), KvErrorCode.UNREADABLE_VALUE);
    assertThat(failure).hasMessageContaining(K.toString());
    failure(kv.list(KvRange.prefix()), KvErrorCode.UNREADABLE_VALUE);
    failure(kv.watch(K), KvErrorCode.UNREADABLE_VALUE);
    assertThat(all(kv.list(KvRange.prefix(), KvValue.class).filter(KvContract::notFiller)))
        .hasSize(1);
  }

  @Test
  public void failsToReadAValueOfAnotherType() {
    set(K, "text");

    failure(kv.get(K, User.class), KvErrorCode.UNREADABLE_VALUE);
    failure(kv.getMany(List.of(K, K), User.class), KvErrorCode.UNREADABLE_VALUE);
  }

  @Test
  public void rejectsAnUnsupportedValueBeforeAnyEffect() {
    failure(kv.set(K, new Broken()), KvErrorCode.INVALID_VALUE);
    assertThatThrownBy(() -> kv.atomic().set(K, new Broken()))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_VALUE));
    assertThat(exists(K)).isFalse();
  }

  @Test
  public void storesTypesOfVertx() {
    KvKey array = KvKey.of("array");
    KvKey bytes = KvKey.of("bytes");
    JsonObject json =
        new JsonObject().put("a", new JsonArray().add(1)).put("at", Instant.EPOCH).put("n", 5L);
    set(K, json);
    set(array, new JsonArray().add(json).add("b"));
    set(bytes, Buffer.buffer(new byte[] {1, 2}));
    settle();

    assertThat(value(K)).isEqualTo(Map.of("a", List.of(1), "at", JsDate.of(Instant.EPOCH), "n", 5));
    assertThat(get(kv.get(K, JsonObject.class)).required()).isEqualTo(json);
    assertThat(get(kv.get(array, JsonArray.class)).required().getJsonObject(0)).isEqualTo(json);
    assertThat(get(kv.get(bytes, KvValue.class)).required().encoding()).isEqualTo(Encoding.BYTES);
    assertThat(get(kv.get(bytes, Buffer.class)).required())
        .isEqualTo(Buffer.buffer(new byte[] {1, 2}));
    assertThat(get(kv.watch(K, JsonObject.class).next()).required()).isEqualTo(json);
  }

  @Test
  public void rejectsAnObjectThatIsNoDataWithItsPlace() {
    Object value = Map.of("job", List.of(new JsonObject().put("thread", new Thread())));
    assertThat(failure(kv.set(K, value), KvErrorCode.INVALID_VALUE))
        .hasMessageContaining("value at /job/0/thread of type java.lang.Thread: ")
        .hasMessageContaining("is not data");
    failure(kv.queues().enqueue(value), KvErrorCode.INVALID_VALUE);
    assertThat(exists(K)).isFalse();
  }

  @Test
  public void encodesAtomicValuesWhenAddedAndSetValuesWhenSubscribed() {
    List<Object> list = new ArrayList<>(List.of(1));
    var operation = kv.atomic().set(K, list);
    list.add(2);

    get(operation.commit());

    assertThat(value(K)).isEqualTo(List.of(1));
    set(K, list);
    assertThat(value(K)).isEqualTo(List.of(1, 2));
  }

  @Test
  public void roundTripsValuesOfManySizes() {
    Random random = new Random(1);
    List<byte[]> values = new ArrayList<>();
    for (int size : new int[] {0, 1, 127, 128, 1000, 4096, 65_535, 65_536, 1 << 20, 8 << 20}) {
      byte[] value = new byte[size];
      random.nextBytes(value);
      KvKey key = KvKey.of("size", values.size());
      values.add(value);
      set(key, value);
    }
    for (int i = 0; i < 2; i++, settle(), reopen()) {
      assertThat(all(kv.list(KvRange.prefix("size"), byte[].class)))
          .extracting(KvEntry::value)
          .containsExactlyElementsOf(values);
    }
  }

  @Test
  public void rejectsAValueAboveTheLimit() {
    KvException failure = failure(kv.set(K, new byte[(8 << 20) + 1]), KvErrorCode.LIMIT_EXCEEDED);

    assertThat(failure).hasMessageContaining("8388609").hasMessageContaining("8388608");
    failure(kv.set(K, "x".repeat(8 << 20)), KvErrorCode.LIMIT_EXCEEDED);
    assertThat(exists(K)).isFalse();
  }
}
