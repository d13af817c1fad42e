package io.kvreactive.documents.internal.collection;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.internal.policy.DefinitionRules;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a conflict of claimed unique values costs. */
class WriteAttemptsTest {
  private static final int LARGEST =
      TransactionalBatch.MAX_OPERATIONS * DefinitionRules.MAX_UNIQUE_KEYS;

  /** Counts the reads of its elements. */
  private static final class Counted extends AbstractList<byte[]> {
    private final List<byte[]> all;
    private long reads;

    Counted(List<byte[]> all) {
      this.all = all;
    }

    @Override
    public byte[] get(int index) {
      reads++;
      return all.get(index);
    }

    @Override
    public int size() {
      return all.size();
    }
  }

  private static List<byte[]> keys(int count) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(ByteBuffer.allocate(Integer.BYTES).putInt(i).array());
    }
    return keys;
  }

  @Test
  void readsEachKeyOfTheLargestBatchOnceAfterAConflict() {
    List<byte[]> all = keys(LARGEST);
    Counted claims = new Counted(all);
    List<byte[]> copies = keys(LARGEST);
    Collections.reverse(copies);
    Counted failed = new Counted(copies);
    assertThat(WriteAttempts.taken(claims, failed)).isEqualTo(all);
    assertThat(claims.reads).isEqualTo(LARGEST);
    assertThat(failed.reads).isEqualTo(LARGEST);
  }

  @Test
  void keepsTheOrderOfClaimsAndOmitsThoseThatHold() {
    List<byte[]> all = keys(5);
    List<byte[]> failed = List.of(keys(5).get(4), keys(9).get(8), keys(5).get(1));
    assertThat(WriteAttempts.taken(all, failed)).containsExactly(all.get(1), all.get(4));
  }
}
