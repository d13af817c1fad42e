package io.kvreactive.examples.unicode;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;

/**
 * The keys of the example. A record is stored once, under its code point. An index entry holds the
 * code point; if characters can share a block, script or category, the key of the entry ends with
 * the code point.
 */
final class CharacterKeys {
  static final KvKey ROOT = KvKey.of("unicode");

  /** The mark of a finished load. It is written last. */
  static final KvKey LOADED = ROOT.append("loaded");

  static final KvKey CHARACTERS = ROOT.append("characters");
  static final KvKey BY_NAME = ROOT.append("by_name");
  private static final KvKey BY_BLOCK = ROOT.append("by_block");
  private static final KvKey BY_SCRIPT = ROOT.append("by_script");
  private static final KvKey BY_CATEGORY = ROOT.append("by_category");

  private CharacterKeys() {}

  static KvKey character(int codePoint) {
    return CHARACTERS.append(codePoint);
  }

  static KvKey byName(String name) {
    return BY_NAME.append(name);
  }

  static KvKey byBlock(String block) {
    return BY_BLOCK.append(block);
  }

  static KvKey byScript(String script) {
    return BY_SCRIPT.append(script);
  }

  static KvKey byCategory(Category category) {
    return BY_CATEGORY.append(category.shortName());
  }

  /**
   * Returns the range of the names with a prefix. A prefix of a string is not a prefix of a key,
   * because a key consists of whole parts.
   */
  static KvRange namesFrom(String prefix) {
    return KvRange.startingWith(BY_NAME, prefix);
  }
}
