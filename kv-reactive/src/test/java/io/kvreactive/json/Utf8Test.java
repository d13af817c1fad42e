package io.kvreactive.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.api.InstanceOfAssertFactories;

class Utf8Test {
  /** Well-formed and malformed sequences, which are rare in random bytes. */
  @Provide
  Arbitrary<byte[]> bytes() {
    return Arbitraries.of(
            0x00, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xC3, 0xE0, 0xE2, 0xED, 0xA0, 0xEF, 0xBB,
            0xBD, 0xF0, 0x90, 0xF4, 0x8F, 0xF5, 0xFF)
        .list()
        .ofMaxSize(12)
        .map(
            list -> {
              byte[] bytes = new byte[list.size()];
              for (int i = 0; i < bytes.length; i++) {
                bytes[i] = list.get(i).byteValue();
              }
              return bytes;
            });
  }

  @Property(tries = 3000)
  void decodesLikeTheStrictDecoderOfJava(@ForAll("bytes") byte[] bytes) throws IOException {
    String expected;
    try {
      expected = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      int at = Utf8.firstMalformed(bytes);
      assertThat(at).isBetween(0, bytes.length - 1);
      byte[] before = java.util.Arrays.copyOf(bytes, at);
      assertThat(Utf8.decode(before).getBytes(StandardCharsets.UTF_8)).isEqualTo(before);
      assertThatThrownBy(() -> Utf8.decode(bytes))
          .isInstanceOf(KvException.class)
          .hasMessageContaining("byte %d is 0x%02x (expected: UTF-8)".formatted(at, bytes[at]))
          .extracting(
              thrown -> ((KvException) thrown).code(),
              InstanceOfAssertFactories.type(KvErrorCode.class))
          .isEqualTo(KvErrorCode.INVALID_ARGUMENT);
      assertThatThrownBy(() -> Utf8.documentReader(bytes).transferTo(new StringWriter()))
          .isInstanceOf(CharacterCodingException.class);
      return;
    }
    assertThat(Utf8.firstMalformed(bytes)).isEqualTo(-1);
    assertThat(Utf8.decode(bytes)).isEqualTo(expected);
    String document = expected.startsWith("\uFEFF") ? expected.substring(1) : expected;
    assertThat(Utf8.decodeDocument(bytes)).isEqualTo(document);
    StringWriter read = new StringWriter();
    Utf8.documentReader(bytes).transferTo(read);
    assertThat(read.toString()).isEqualTo(document);
  }

  @Property
  void roundTripsEveryTextInJson(@ForAll String some, @ForAll char one, @ForAll char other)
      throws IOException {
    String text = some + one + other + some;
    byte[] json = Utf8.json(TextNode.valueOf(text).toString());
    assertThat(new ObjectMapper().readTree(Utf8.decode(json)).textValue()).isEqualTo(text);
    boolean encodable = StandardCharsets.UTF_8.newEncoder().canEncode(text);
    assertThat(Utf8.isWellFormed(text)).isEqualTo(encodable);
  }

  @Example
  void findsAMalformedByteBeyondTheFirstBuffer() {
    byte[] bytes = new byte[10_000];
    bytes[9_998] = (byte) 0xC3;
    assertThat(Utf8.firstMalformed(bytes)).isEqualTo(9_998);
  }
}
