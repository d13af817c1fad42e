package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class CaseVariantsTest {
  /** Texts of characters with one to four case variants, and of unpaired surrogates. */
  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings()
        .withChars("aAb1kK\u212asS\u017fiI\u0130\u0131\u00df\u1e9eäÄσςΣ\ud801\udc00")
        .ofMaxLength(5);
  }

  @Property
  void startsWithAVariantOfEveryMatchingPrefix(
      @ForAll("texts") String text, @ForAll("texts") String part) {
    List<String> starts = CaseVariants.ofStart(part);
    assertThat(starts).hasSizeBetween(1, 64).doesNotHaveDuplicates();
    if (TextArguments.fold(text).startsWith(TextArguments.fold(part))) {
      assertThat(starts).anyMatch(text::startsWith);
    }
    assertThat(starts)
        .allMatch(start -> TextArguments.fold(part).startsWith(TextArguments.fold(start)));
  }

  /** Checks every character. */
  @Test
  void containsAllVariants() {
    for (char c = 0; c < Character.MAX_VALUE; c++) {
      if (!Character.isSurrogate(c)) {
        String text = String.valueOf(c);
        assertThat(CaseVariants.ofStart(text)).contains(text);
        assertThat(CaseVariants.ofStart(TextArguments.fold(text))).contains(text);
      }
    }
    assertThat(CaseVariants.ofStart("ki1x")).hasSize(12).contains("KI1", "\u212a\u01311");
    assertThat(CaseVariants.ofStart("a\ud801\udc00b"))
        .containsExactly("A\ud801\udc00", "a\ud801\udc00");
    assertThat(CaseVariants.ofStart("ab\ud801\udc00")).containsExactly("AB", "Ab", "aB", "ab");
    assertThat(CaseVariants.ofStart("")).containsExactly("");
  }
}
