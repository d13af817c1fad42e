package io.kvreactive.http.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses and tokens, including those that would downgrade from TLS. */
class ServerUrlsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost:4512",
        "http://a b",
        "http://user:secret@host/",
        "http://host/#part",
        "http://host:0/",
        "http://host:65536/"
      })
  void rejectsAddressesWithPartsThatAreNotSent(String url) {
    rejects(() -> ServerUrls.parse(url, "http://host"));
  }

  @Test
  void rejectsTokensThatDoNotFitAHeader() {
    assertThat(ServerUrls.token("~".repeat(8 << 10))).hasSize(8 << 10);
    for (String token : new String[] {"", " ", "a\nb", "ä", "x".repeat((8 << 10) + 1)}) {
      rejects(() -> ServerUrls.token(token));
    }
  }

  private static void rejects(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_ARGUMENT));
  }

  @ParameterizedTest
  @CsvSource({
    "http://host/a, http://HOST:80/b, true",
    "https://host, https://host:443/x, true",
    "http://host, https://host, false",
    "http://host:80, http://host:81, false",
    "http://host, http://host.example, false",
    "http://host:443, https://host, false",
  })
  void comparesOriginsBySchemeHostAndPort(URI one, URI other, boolean same) {
    assertThat(ServerUrls.sameOrigin(one, other)).isEqualTo(same);
    assertThat(ServerUrls.sameOrigin(other, one)).isEqualTo(same);
  }

  @ParameterizedTest
  @CsvSource({
    "http://host, v2, http://host/v2",
    "http://host/db/x, ./x/v2, http://host/db/x/v2",
    "http://host/db/x, ../v2, http://host/v2",
    "http://host/db, //other:1/v2, http://other:1/v2",
  })
  void resolvesReferencesAgainstTheAddress(URI base, URI reference, URI target) {
    assertThat(ServerUrls.resolve(base, reference)).isEqualTo(target);
  }
}
