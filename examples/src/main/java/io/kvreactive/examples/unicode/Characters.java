package io.kvreactive.examples.unicode;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Questions to the loaded characters. */
public final class Characters {
  private static final int PAGE = 100;
  private static final int COUNTS_AT_ONCE = 4;

  private final Kv kv;

  public Characters(Kv kv) {
    this.kv = kv;
  }

  /** How many characters a category has. */
  public record CategorySize(Category category, long size) {}

  /** Empty when no character has that name. */
  public Mono<CodePoint> byName(String name) {
    return kv.get(CharacterKeys.byName(name), Integer.class)
        .mapNotNull(KvEntry::value)
        .flatMap(code -> kv.get(CharacterKeys.character(code), CodePoint.class))
        .mapNotNull(KvEntry::value);
  }

  /** Those whose name begins so, in the order of their names. Reads as far as is asked for. */
  public Flux<CodePoint> byNamePrefix(String prefix) {
    return resolve(CharacterKeys.namesFrom(prefix));
  }

  /** All of a script, in code point order. */
  public Flux<CodePoint> ofScript(String script) {
    return resolve(KvRange.prefix(CharacterKeys.byScript(script)));
  }

  /** All of a block, in code point order. */
  public Flux<CodePoint> ofBlock(String block) {
    return resolve(KvRange.prefix(CharacterKeys.byBlock(block)));
  }

  /** Every category, in order of declaration. */
  public Flux<CategorySize> categorySizes() {
    return Flux.fromArray(Category.values())
        .flatMapSequential(
            category ->
                kv.count(KvRange.prefix(CharacterKeys.byCategory(category)))
                    .map(size -> new CategorySize(category, size)),
            COUNTS_AT_ONCE);
  }

  /** How many there are. */
  public Mono<Long> size() {
    return kv.count(KvRange.prefix(CharacterKeys.CHARACTERS));
  }

  /** The records that the pointers of an index range point to, page by page, in its order. */
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
