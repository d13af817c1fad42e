package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.LoadProgress;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Exports and imports of JSON lines, by lists at one version and by loads. */
public abstract class LinesContract extends KvContract {
  private static final KvRange P = KvRange.prefix("p");

  @Override
  protected KvOptions configured(KvOptions options) {
    return options.withLimits(KvLimits.DEFAULT.withMaxKeyBytes(100).withMaxValueBytes(200_000));
  }

  private static KvKey p(Object part) {
    return KvKey.of("p", part);
  }

  private static String line(int i) {
    return "{\"key\":[\"p\"," + i + "],\"value\":" + i + "}";
  }

  private List<Object> values() {
    return all(kv.list(P).map(KvEntry::value));
  }

  private KvException refused(KvErrorCode code, String... lines) {
    return failure(kv.admin().importLines(Flux.just(lines)), code);
  }

  @Test
  public void exportsAnEntryAsALine() {
    String stamp = set(p("a"), 1).toString();
    Instant at = Instant.ofEpochMilli(4_000_000_000_123L);
    String later = get(kv.set(p(2), List.of("x"), at)).toString();
    set(KvKey.of("q"), 1);
    assertThat(all(kv.admin().exportLines(P)))
        .containsExactly(
            "{\"key\":[\"p\",\"a\"],\"value\":1,\"versionstamp\":\"" + stamp + "\"}",
            "{\"key\":[\"p\",2],\"value\":[\"x\"],\"versionstamp\":\""
                + later
                + "\",\"expireAt\":4000000000123}");
    assertThat(all(kv.admin().exportLines(P, ListOptions.DEFAULT.withReverse(true).withLimit(1))))
        .hasSize(1)
        .allMatch(line -> line.contains("[\"p\",2]"));
    failure(
        kv.admin().exportLines(P, ListOptions.DEFAULT.withKeysOnly(true)),
        KvErrorCode.INVALID_ARGUMENT);
  }

  @Test
  public void importsKeysValuesAndExpiry() {
    set(p("a"), 1);
    Instant at = Instant.ofEpochMilli(4_000_000_000_123L);
    get(kv.set(p("b"), 2.5, at));
    List<String> lines = all(kv.admin().exportLines(P));
    get(kv.deleteRange(P));
    set(p("c"), "stays");
    List<LoadProgress> progress = all(kv.admin().importLines(Flux.fromIterable(lines)));
    assertThat(progress.get(progress.size() - 1).entries()).isEqualTo(2);
    assertThat(values()).containsExactly(1, 2.5, "stays");
    KvEntry<Object> restored = get(kv.get(p("b")));
    assertThat(restored.expireAt()).isEqualTo(at);
    assertThat(restored.versionstamp()).isEqualTo(progress.get(0).versionstamp());
  }

  @Test
  public void exportsOneVersion() {
    for (int i = 0; i < 1200; i++) {
      set(p(i), i);
    }
    StepVerifier.create(kv.admin().exportLines(P), 1)
        .expectNextCount(1)
        .then(() -> get(kv.deleteRange(P)))
        .thenRequest(Long.MAX_VALUE)
        .expectNextCount(1199)
        .verifyComplete();
  }

  @Test
  public void toleratesBlankLinesMarksAndCarriageReturns() {
    all(
        kv.admin()
            .importLines(Flux.just("\uFEFF" + line(1) + "\r", "", "  \r", line(2) + "\n", "")));
    assertThat(values()).containsExactly(1, 2);
    all(kv.admin().importLines(Flux.just("\uFEFF", line(3))));
    assertThat(values()).containsExactly(1, 2, 3);
  }

  @Test
  public void reportsAnInvalidLineAndKeepsThePrecedingOnes() {
    KvException failed =
        refused(KvErrorCode.INVALID_ARGUMENT, line(1), "", line(2), "{\"key\":", line(5));
    assertThat(failed.detail())
        .startsWith("line 4: ")
        .contains("{\"key\":")
        .endsWith("records stored: 2");
    assertThat(values()).containsExactly(1, 2);
  }

  @Test
  public void reportsACodeForEveryInvalidLine() {
    assertThat(refused(KvErrorCode.INVALID_KEY, "{\"key\":[null],\"value\":1}").detail())
        .startsWith("line 1: ");
    refused(KvErrorCode.INVALID_KEY, "{\"key\":[],\"value\":1}");
    refused(KvErrorCode.INVALID_VALUE, "{\"key\":[1],\"value\":{\"$no\":1}}");
    refused(KvErrorCode.INVALID_VERSIONSTAMP, "{\"key\":[1],\"value\":1,\"versionstamp\":\"1\"}");
    refused(KvErrorCode.INVALID_ARGUMENT, "{\"key\":[1],\"value\":1,\"extra\":1}");
    refused(KvErrorCode.INVALID_ARGUMENT, line(1) + line(2));
    refused(KvErrorCode.INVALID_ARGUMENT, line(1), "\uFEFF" + line(2));
  }

  @Test
  public void reportsLinesThatTheStoreRejects() {
    String key = "{\"key\":[\"" + "k".repeat(100) + "\"],\"value\":1}";
    KvException failed = refused(KvErrorCode.LIMIT_EXCEEDED, line(1), key, line(2));
    assertThat(failed.detail()).contains("line 2: key of ", "at most 100", "records stored: 1");
    assertThat(values()).containsExactly(1);
    String value = "{\"key\":[1],\"value\":\"" + "v".repeat(200_000) + "\"}";
    assertThat(refused(KvErrorCode.LIMIT_EXCEEDED, value).detail()).contains("line 1: value of ");
  }

  @Test
  public void signalsAnErrorOfTheSourceAfterStoringThePrecedingLines() {
    IllegalStateException mine = new IllegalStateException("mine");
    Flux<String> lines = Flux.just(line(1)).concatWith(Flux.error(mine));
    assertThatThrownBy(() -> kv.admin().importLines(lines).blockLast(TIMEOUT)).isSameAs(mine);
    assertThat(values()).containsExactly(1);
  }
}
