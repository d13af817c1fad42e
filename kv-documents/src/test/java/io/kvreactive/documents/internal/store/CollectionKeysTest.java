package io.kvreactive.documents.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvKey;
import io.kvreactive.spi.ReadRange;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class CollectionKeysTest {
  private final CollectionKeys keys = new CollectionKeys("kvi", "1a", 1, 2);

  @Property(tries = 300)
  void encodesKeysLikeKvKey(@ForAll byte[] raw, @ForAll @LongRange(min = 1) long docId) {
    assertThat(keys.entry(raw)).isEqualTo(KvKey.of("kvi", "1a", "E1", raw).bytes());
    assertThat(keys.unique(raw)).isEqualTo(KvKey.of("kvi", "1a", "U", raw).bytes());
    assertThat(KvKey.decode(keys.item(docId)).size()).isEqualTo(4);
    assertThat(KvKey.decode(keys.expiry(ExpiryKind.EXPIRES, docId, docId)).stringAt(2))
        .isEqualTo("X2");
  }

  @Property(tries = 300)
  void decodesPartsOfKeys(@ForAll byte[] raw, @ForAll @LongRange(min = 1) long docId) {
    assertThat(keys.rawEntry(keys.entry(raw))).isEqualTo(raw);
    assertThat(keys.docIdOfItem(keys.item(docId))).isEqualTo(docId);
    assertThat(keys.docIdOfPending(keys.pending(docId))).isEqualTo(docId);
    byte[] expiry = keys.expiry(ExpiryKind.WRITTEN, docId / 2 - 7, docId);
    assertThat(keys.docIdOfExpiry(expiry)).isEqualTo(docId);
    assertThat(keys.secondOfExpiry(expiry)).isEqualTo(docId / 2 - 7);
  }

  @Property(tries = 1000)
  void hasExactBounds(
      @ForAll @Size(max = 4) byte[] raw,
      @ForAll @Size(max = 3) byte[] from,
      @ForAll @Size(max = 3) byte[] to) {
    ReadRange range = keys.entries(from, to, 1, false, true);
    boolean inside = Arrays.compareUnsigned(from, raw) <= 0 && Arrays.compareUnsigned(raw, to) < 0;
    byte[] key = keys.entry(raw);
    assertThat(
            Arrays.compareUnsigned(range.start(), key) <= 0
                && Arrays.compareUnsigned(key, range.end()) < 0)
        .isEqualTo(inside);
  }

  @Test
  void hasExactBoundsAroundZeroBytes() {
    byte[][] all = {{}, {0}, {0, 0}, {0, 1}, {0, -1}, {1}, {1, 0}, {-1}, {-1, 0}, {-1, -1}};
    for (byte[] raw : all) {
      for (byte[] from : all) {
        for (byte[] to : all) {
          hasExactBounds(raw, from, to);
        }
      }
    }
  }

  @Test
  void ordersSpacesWithoutOverlap() {
    byte[][] inOrder = {
      keys.allStart(),
      keys.itemsStart(),
      keys.item(1),
      keys.item(Long.MAX_VALUE),
      keys.itemsEnd(),
      keys.deleted(),
      keys.deletedEnd(),
      keys.entriesStart(),
      keys.entry(new byte[] {0}),
      keys.entry(new byte[] {-1, -1}),
      keys.entriesEnd(),
      keys.pendingStart(),
      keys.pending(1),
      keys.pending(Long.MAX_VALUE),
      keys.pendingEnd(),
      keys.entriesAndPendingEnd(),
      keys.id(new byte[] {1}),
      keys.job(),
      keys.nextDocId(),
      keys.unique(new byte[] {1}),
      keys.expiriesStart(),
      keys.expiry(ExpiryKind.WRITTEN, -5, 3),
      keys.expiry(ExpiryKind.WRITTEN, 5, 2),
      keys.expiry(ExpiryKind.WRITTEN, 5, 1000),
      keys.expiry(ExpiryKind.EXPIRES, 1, 1),
      keys.expiriesEnd(),
      keys.allEnd()
    };
    for (int i = 1; i < inOrder.length; i++) {
      assertThat(Arrays.compareUnsigned(inOrder[i - 1], inOrder[i])).as("%d", i).isNegative();
    }
  }

  @Test
  void separatesCollectionsByName() {
    byte[] other = new CollectionKeys("kvi", "1", 1, 1).allEnd();
    assertThat(Arrays.compareUnsigned(other, keys.allStart())).isNegative();
    assertThat(CollectionKeys.definition("kvi", "x"))
        .isEqualTo(KvKey.of("kvi", "collections", "x").bytes());
  }
}
