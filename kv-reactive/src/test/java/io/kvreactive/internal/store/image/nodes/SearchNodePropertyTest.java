package io.kvreactive.internal.store.image.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.internal.store.image.nodes.PackedArrays.Packed;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The child for a key, compared with a search of one key after the other. */
class SearchNodePropertyTest {
  private static final long LINK = 1000;

  /** Keys of few different bytes, so that many share prefixes or are prefixes of others. */
  @Provide
  Arbitrary<byte[]> keys() {
    Arbitrary<Byte> bytes = Arbitraries.of((byte) 0, (byte) 1, (byte) 0x7F, (byte) 0x80, (byte) -1);
    Arbitrary<byte[]> tails = bytes.array(byte[].class).ofMinSize(0).ofMaxSize(12);
    Arbitrary<byte[]> heads = Arbitraries.of(new byte[0], new byte[11], new byte[] {5, 5, 5});
    return heads.flatMap(head -> tails.map(tail -> joined(head, tail)));
  }

  private static byte[] joined(byte[] head, byte[] tail) {
    byte[] all = Arrays.copyOf(head, head.length + tail.length);
    System.arraycopy(tail, 0, all, head.length, tail.length);
    return all;
  }

  @Property(tries = 5000)
  void returnsTheChildAtOrBeforeTheFirstKeyThatIsNotLess(
      @ForAll List<@From("keys") byte[]> given,
      @ForAll @From("keys") byte[] wanted,
      @ForAll boolean isLeftmost) {
    TreeSet<byte[]> sorted = new TreeSet<>(Arrays::compareUnsigned);
    sorted.addAll(given);
    byte[][] keys = sorted.toArray(new byte[0][]);
    long[] children = LongStream.rangeClosed(1, keys.length + 1L).toArray();
    Packed packed = (Packed) ImageNode.KEYS.valueArrayFromArray(keys);
    int first = isLeftmost || keys.length == 0 ? 0 : 1;
    SearchNode node = new SearchNode(7, LINK, packed, first, Arrays.copyOf(children, keys.length));

    int ceiling = 0;
    while (ceiling < keys.length && Arrays.compareUnsigned(keys[ceiling], wanted) < 0) {
      ceiling++;
    }
    int child = ceiling - first;
    if (child >= 0) { // a lookup never asks a node for a key at or before its low fence
      assertThat(node.next(wanted)).isEqualTo(child < keys.length ? children[child] : LINK);
    }
  }
}
