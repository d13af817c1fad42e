package io.kvreactive.documents.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.IndexingPolicy;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeDeltaTest {

  private static IndexLayout layout(IndexingPolicy policy) {
    return IndexLayout.of(CollectionDefinition.DEFAULT.withIndexingPolicy(policy), name -> 1);
  }

  private static RangeDelta delta(IndexingPolicy before, IndexingPolicy after) {
    return RangeDelta.between(layout(before), layout(after));
  }

  @Test
  void ignoresEquivalentPolicies() {
    IndexingPolicy once = IndexingPolicy.of(List.of("/*"), List.of("/a/*"));
    IndexingPolicy twice = IndexingPolicy.of(List.of("/*"), List.of("/a/b/?", "/a/*"));
    assertThat(delta(once, twice).isEmpty()).isTrue();
    assertThat(delta(once, once).isEmpty()).isTrue();
    assertThat(delta(IndexingPolicy.none(), IndexingPolicy.none()).isEmpty()).isTrue();
  }

  @Test
  void tellsAdditionsFromRemovals() {
    RangeDelta added = delta(IndexingPolicy.includeRoot("/a/*"), IndexingPolicy.DEFAULT);
    assertThat(added.adds()).isTrue();
    assertThat(added.removes()).isFalse();
    RangeDelta removed = delta(IndexingPolicy.DEFAULT, IndexingPolicy.includeRoot("/a/?"));
    assertThat(removed.adds()).isFalse();
    assertThat(removed.removes()).isTrue();
  }

  @Test
  void countsMarkersOfAnExplicitlyIncludedPath() {
    IndexingPolicy explicit = IndexingPolicy.DEFAULT.withIncluded("/a/?");
    RangeDelta delta = delta(IndexingPolicy.DEFAULT, explicit);
    assertThat(delta.adds()).isTrue();
    assertThat(delta.removes()).isFalse();
    assertThat(delta(explicit, explicit).isEmpty()).isTrue();
    assertThat(delta(explicit, IndexingPolicy.DEFAULT).removes()).isTrue();
  }

  @Test
  void hasNoEntriesInModeNone() {
    RangeDelta built = delta(IndexingPolicy.none(), IndexingPolicy.ttlOnly());
    assertThat(built.adds()).isTrue();
    RangeDelta dropped = delta(IndexingPolicy.ttlOnly(), IndexingPolicy.none());
    assertThat(dropped.removes()).isTrue();
    assertThat(dropped.adds()).isFalse();
  }

  @Test
  void computesDifferenceAndUnionOfKeys() {
    List<byte[]> before = keys("01", "03", "ff");
    List<byte[]> after = keys("02", "03", "0300");
    KeyDiff diff = KeyDiff.between(before, after);
    assertThat(texts(diff.deleted())).containsExactly("01", "ff");
    assertThat(texts(diff.added())).containsExactly("02", "0300");
    assertThat(texts(KeyDiff.union(before, after))).containsExactly("01", "02", "03", "0300", "ff");
    assertThat(KeyDiff.between(before, keys("01", "03", "ff")).added()).isEmpty();
  }

  private static List<byte[]> keys(String... texts) {
    return List.of(texts).stream().map(HexFormat.of()::parseHex).toList();
  }

  private static List<String> texts(List<byte[]> keys) {
    return keys.stream().map(HexFormat.of()::formatHex).toList();
  }
}
