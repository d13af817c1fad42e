package io.kvreactive.bench.index;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.ListOptions;
import io.kvreactive.LoadProgress;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The same documents in the plain store, with a hand-written index. */
record PlainSide(Kv kv) {
  private static final byte[] NOTHING = {};

  private static KvKey key(int number) {
    return KvKey.of("plain", "item", number);
  }

  /** Stores documents with their entries in the index by city and age. */
  Flux<LoadProgress> load(int from, int count) {
    return kv.load(
        Flux.range(from, count)
            .concatMapIterable(
                number ->
                    List.of(
                        KvRecord.of(key(number), People.bytes(number)),
                        KvRecord.of(
                            KvKey.of(
                                "plain",
                                "by_city_age",
                                People.city(number),
                                People.age(number),
                                number),
                            NOTHING))));
  }

  /** Emits the bytes of a document without parsing them. */
  Mono<byte[]> get(int number) {
    return kv.get(key(number), byte[].class).map(KvEntry::required);
  }

  Mono<List<JsonNode>> range(String city, int above) {
    KvKey prefix = KvKey.of("plain", "by_city_age", city);
    KvRange range = KvRange.prefixFrom(prefix, KvKey.of("plain", "by_city_age", city, above + 1));
    ListOptions options = ListOptions.DEFAULT.withLimit(20).withKeysOnly(true);
    return kv.list(range, options, byte[].class)
        .map(entry -> key(((Number) entry.key().parts().get(4)).intValue()))
        .collectList()
        .flatMap(keys -> kv.getMany(keys, byte[].class).map(PlainSide::document).collectList());
  }

  /** Stores a document without an index. */
  Mono<?> set(int number) {
    return Mono.defer(() -> kv.set(KvKey.of("plain", "set", number), People.bytes(number)));
  }

  /** Stores documents in large commits, without an index. */
  Flux<LoadProgress> bulk(int from, int count) {
    return kv.load(
        Flux.range(from, count)
            .map(number -> KvRecord.of(KvKey.of("plain", "set", number), People.bytes(number))));
  }

  private static JsonNode document(KvEntry<byte[]> entry) {
    return People.parse(entry.required());
  }
}
