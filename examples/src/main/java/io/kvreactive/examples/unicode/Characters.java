package io.kvreactive.examples.unicode;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Queries of the loaded characters. */
public final class Characters {
  private static final int PAGE = 100;
  private static final int COUNTS_AT_ONCE = 4;

  private final Kv kv;

  public Characters(Kv kv) {
    this.kv = kv;
  }

  /** A category with the number of its characters. */
  public record CategorySize(Category category, long size) {}

  /** Emits the character with a name; empty if it does not exist. */
  public Mono<CodePoint> byName(String name) {
    return kv.get(CharacterKeys.byName(name), Integer.class)
        .mapNotNull(KvEntry::value)
        .flatMap(code -> kv.get(CharacterKeys.character(code), CodePoint.class))
        .mapNotNull(KvEntry::value);
  }

  /**
   * Emits the characters whose names begin with a prefix, in the order of the names. Reads on
   * demand.
   */
  public Flux<CodePoint> byNamePrefix(String prefix) {
    return resolve(CharacterKeys.namesFrom(prefix));
  }

  /** Emits all characters of a script, in code point order. */
  public Flux<CodePoint> ofScript(String script) {
    return resolve(KvRange.prefix(CharacterKeys.byScript(script)));
  }

  /** Emits all characters of a block, in code point order. */
  public Flux<CodePoint> ofBlock(String block) {
    return resolve(KvRange.prefix(CharacterKeys.byBlock(block)));
  }

  /** Emits all categories with their sizes, in the order of declaration. */
  public Flux<CategorySize> categorySizes() {
    return Flux.fromArray(Category.values())
        .flatMapSequential(
            category ->
                kv.count(KvRange.prefix(CharacterKeys.byCategory(category)))
                    .map(size -> new CategorySize(category, size)),
            COUNTS_AT_ONCE);
  }

  /** Emits the number of characters. */
  public Mono<Long> size() {
    return kv.count(KvRange.prefix(CharacterKeys.CHARACTERS));
  }

  /** Emits the records of the index entries in a range, page by page, in the order of the index. */
  private Flux<CodePoint> resolve(KvRange pointers) {
    return kv.list(pointers, Integer.class)
        .map(pointer -> CharacterKeys.character(pointer.required()))
        .buffer(PAGE)
        .concatMap(this::records, 1);
  }

  private Flux<CodePoint> records(List<KvKey> keys) {
    return kv.getMany(keys, CodePoint.class).map(KvEntry::required);
  }
}
