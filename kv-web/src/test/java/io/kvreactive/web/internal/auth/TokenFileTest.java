package io.kvreactive.web.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.web.internal.auth.TokenFile.Minted;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenFileTest {
  private static final TokenScope READ =
      new TokenScope(
          Set.of(AccessRight.READ),
          List.of(KvKey.of("users", 7L, new byte[] {0, -1})),
          Set.of("default"),
          Instant.parse("2099-01-01T00:00:00Z"));

  @TempDir Path directory;

  private TokenFile file() {
    return new TokenFile(directory.resolve("tokens.json"));
  }

  @Test
  void readsCreatedTokens() throws IOException {
    Minted made = file().create("ci", READ);
    assertThat(made.secret()).matches("kv_[A-Za-z0-9_-]{43}");
    assertThat(file().read()).containsExactly(made.entry());
    assertThat(made.entry().scope()).isEqualTo(READ);
  }

  @Test
  void keepsNoSecretsAndIsReadableByItsOwnerOnly() throws IOException {
    Minted made = file().create("ci", READ);
    String secret = made.secret().substring(3);
    assertThat(Files.readString(file().path())).doesNotContain(secret);
    assertThat(made.toString()).doesNotContain(secret);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file().path())))
        .isEqualTo("rw-------");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("tokens.json", "tokens.json.lock");
    }
  }

  @Test
  void rejectsDuplicateNames() throws IOException {
    file().create("ci", READ);
    assertThatThrownBy(() -> file().create("ci", READ))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.NAME_TAKEN));
    assertThat(file().revoke("ci")).isTrue();
    assertThat(file().revoke("ci")).isFalse();
    assertThat(file().read()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a\nb", "../x", "é", "-x"})
  void rejectsNamesUnfitForLogs(String name) {
    assertThatThrownBy(() -> file().create(name, READ)).isInstanceOf(KvException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{\"version\":2,\"tokens\":[]}",
        "{\"version\":1,\"tokens\":[{\"name\":\"a\"}]}",
        "{\"version\":1,\"tokens\":[]}{",
      })
  void rejectsFilesThatAreNotTokenFiles(String content) throws IOException {
    Files.writeString(file().path(), content);
    assertThatThrownBy(() -> file().read()).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> file().create("a", READ)).isInstanceOf(IOException.class);
    assertThat(Files.readString(file().path())).isEqualTo(content);
  }

  @Test
  void reportsErrorsWithoutQuotingTheFile() throws IOException {
    Files.writeString(file().path(), "{\"version\":1,\"tokens\":[{\"hash\":\"0123\" oops]}");
    assertThatThrownBy(() -> file().read()).message().doesNotContain("0123");
  }

  @Test
  void readsAndWritesUtf8() throws IOException {
    byte[] json = "{\"version\":1,\"tokens\":[]}".getBytes(StandardCharsets.UTF_8);
    Files.write(file().path(), json);
    Files.writeString(file().path(), "\uFEFF" + Files.readString(file().path()));
    assertThat(file().read()).isEmpty();
    for (Charset other : List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16LE)) {
      Files.write(file().path(), new String(json, StandardCharsets.UTF_8).getBytes(other));
      assertThatThrownBy(() -> file().read()).isInstanceOf(IOException.class);
    }
    json[3] = (byte) 0xFF;
    Files.write(file().path(), json);
    assertThatThrownBy(() -> file().read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("byte 3 is 0xff (expected: UTF-8)");
  }

  @Test
  void supportsConcurrentChanges() throws Exception {
    var pool = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Minted>> all =
          IntStream.range(0, 40)
              .<Callable<Minted>>mapToObj(i -> () -> file().create("t" + i, READ))
              .toList();
      for (var one : pool.invokeAll(all)) {
        one.get();
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(file().read()).hasSize(40);
  }

  @Test
  void allowsNoPrefixesForAdministrators() {
    assertThatThrownBy(
            () -> new TokenScope(Set.of(AccessRight.ADMIN), List.of(KvKey.of("a")), Set.of(), null))
        .isInstanceOf(KvException.class);
    assertThatThrownBy(
            () -> new TokenScope(Set.of(AccessRight.READ), List.of(KvKey.EMPTY), Set.of(), null))
        .isInstanceOf(KvException.class);
    assertThatThrownBy(() -> new TokenScope(Set.of(), List.of(), Set.of(), null))
        .isInstanceOf(KvException.class);
    assertThatThrownBy(
            () -> new TokenScope(Set.of(AccessRight.READ), List.of(), Set.of("../x"), null))
        .isInstanceOf(KvException.class);
  }

  @Test
  void acceptsARotatedSecretForAWhile() throws Exception {
    Minted first = file().create("ci", TokenScope.all());
    ScopedTokens tokens = new ScopedTokens(null);
    tokens.replace(file().read());
    Grant before = tokens.authenticate(first.secret());

    Minted second = file().rotate("ci", Duration.ofHours(1));
    tokens.replace(file().read());
    assertThat(tokens.authenticate(second.secret()).expiresAt()).isNull();
    assertThat(tokens.authenticate(first.secret()).expiresAt()).isBefore(inTwoHours());
    assertThat(before.expired(Instant.now())).as("its streams go on").isFalse();

    Minted third = file().rotate("ci", Duration.ZERO);
    tokens.replace(file().read());
    assertUnknown(tokens, first.secret());
    assertUnknown(tokens, second.secret());
    assertThat(tokens.authenticate(third.secret()).name()).isEqualTo("ci");
    tokens.endRetired();
    assertThat(before.expired(Instant.now())).isTrue();
  }

  private static Instant inTwoHours() {
    return Instant.now().plus(Duration.ofHours(2));
  }

  private static void assertUnknown(ScopedTokens tokens, String secret) {
    assertThatThrownBy(() -> tokens.authenticate(secret))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.UNAUTHENTICATED));
  }

  @Test
  void endsGrantsWithTheirTokenOrRights() throws Exception {
    Minted one = file().create("one", TokenScope.all());
    Minted two = file().create("two", READ);
    ScopedTokens tokens = new ScopedTokens("single-token-of-the-server");
    tokens.replace(file().read());
    Grant ofOne = tokens.authenticate(one.secret());
    Grant ofTwo = tokens.authenticate(two.secret());

    file().revoke("one");
    tokens.replace(file().read());
    assertUnknown(tokens, one.secret());
    assertThat(ofOne.expired(Instant.now())).isTrue();
    assertThat(ofTwo.expired(Instant.now())).isFalse();
    assertThat(tokens.authenticate(two.secret())).isSameAs(ofTwo);

    AccessToken less =
        new AccessToken("two", two.entry().hash(), lessThanRead(), Instant.now(), null);
    tokens.replace(List.of(less));
    assertThat(ofTwo.expired(Instant.now())).isTrue();
    assertThat(tokens.authenticate(two.secret()).databases()).containsExactly("other");
    assertThat(tokens.authenticate("single-token-of-the-server").access())
        .containsExactlyInAnyOrder(AccessRight.values());
  }

  private static TokenScope lessThanRead() {
    return new TokenScope(Set.of(AccessRight.READ), READ.prefixes(), Set.of("other"), null);
  }
}
