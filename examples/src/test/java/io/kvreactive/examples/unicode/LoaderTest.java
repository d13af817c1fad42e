package io.kvreactive.examples.unicode;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.examples.CapturedScreen;
import io.kvreactive.examples.MemoryStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LoaderTest {
  private static final Assigned SOME = new Assigned(0, 0x17FF);

  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final CapturedScreen captured = new CapturedScreen();

  private void load(Assigned assigned) {
    await(new Loader(store.kv(), assigned, captured.screen(false)).load());
  }

  private long count(KvKey prefix) {
    return await(store.kv().count(KvRange.prefix(prefix)));
  }

  @Test
  void addsEveryCharacterToEveryIndex() {
    load(SOME);
    assertThat(List.of("characters", "by_name", "by_block", "by_script", "by_category"))
        .allSatisfy(
            part -> assertThat(count(CharacterKeys.ROOT.append(part))).isEqualTo(SOME.count()));
  }

  @Test
  void changesNothingOnASecondLoad() {
    load(SOME);
    KvEntry<Object> mark = await(store.kv().get(CharacterKeys.LOADED));
    load(SOME);
    assertThat(await(store.kv().get(CharacterKeys.LOADED)).versionstamp())
        .isEqualTo(mark.versionstamp());
  }

  @Test
  void restartsAnInterruptedLoad() {
    Kv kv = store.kv();
    await(kv.set(CharacterKeys.byName("LEFT BEHIND"), 1));
    await(kv.set(CharacterKeys.character(0xFFFF), "left behind"));
    load(SOME);
    assertThat(count(CharacterKeys.CHARACTERS)).isEqualTo(SOME.count());
    assertThat(count(CharacterKeys.BY_NAME)).isEqualTo(SOME.count());
  }

  @Test
  void replacesTheCharactersOfAnotherJdk() {
    load(new Assigned(0, 0x7F));
    await(store.kv().set(CharacterKeys.LOADED, new Loaded(SOME.count(), 11)));
    load(SOME);
    assertThat(count(CharacterKeys.CHARACTERS)).isEqualTo(SOME.count());
  }

  @Test
  void keepsOrderAcrossPages() {
    load(SOME);
    List<CodePoint> script = await(new Characters(store.kv()).ofScript("ETHIOPIC").collectList());
    assertThat(script)
        .hasSizeGreaterThan(300)
        .isSortedAccordingTo((a, b) -> Integer.compare(a.codePoint(), b.codePoint()));
  }

  @Test
  void findsNothingForAnUnknownName() {
    load(new Assigned(0, 0x7F));
    Characters characters = new Characters(store.kv());
    assertThat(await(characters.byName("LATIN SMALL LETTER A")).codePoint()).isEqualTo('a');
    assertThat(await(characters.byName("LATIN SMALL LETTER"))).isNull();
  }
}
