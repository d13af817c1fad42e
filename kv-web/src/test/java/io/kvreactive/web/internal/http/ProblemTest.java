package io.kvreactive.web.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.QueryException;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProblemTest {
  @ParameterizedTest
  @EnumSource(
      value = KvErrorCode.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"INTERNAL", "IO_FAILED", "DISK_FULL", "CORRUPT", "LOCKED"})
  void showsErrorsOfTheStore(KvErrorCode code) {
    assertShown(new KvException(code, "text"), code);
  }

  @ParameterizedTest
  @EnumSource(DocumentErrorCode.class)
  void showsErrorsOfCollections(DocumentErrorCode code) {
    assertShown(new DocumentException(code, "text"), code);
  }

  @ParameterizedTest
  @EnumSource(WebErrorCode.class)
  void showsErrorsOfTheServer(WebErrorCode code) {
    assertShown(new WebException(code, "text"), code);
    assertThat(Problem.of(new WebException(code, "text")).status()).isEqualTo(code.status());
  }

  private static void assertShown(Throwable failure, KvError.Code code) {
    Problem problem = Problem.of(failure);
    assertThat(problem.code()).isEqualTo(code.name());
    assertThat(problem.detail()).isEqualTo("text");
    assertThat(problem.retryable()).isEqualTo(code.retryable());
    assertThat(problem.status()).isBetween(400, 503).isNotEqualTo(500);
    assertThat(problem.forOperators()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = KvErrorCode.class,
      names = {"IO_FAILED", "DISK_FULL", "CORRUPT", "LOCKED"})
  void hidesFilesOfTheServer(KvErrorCode code) {
    Problem problem = Problem.of(new KvException(code, "/secret/path"));
    assertThat(problem.code()).isEqualTo(code.name());
    assertThat(problem.detail()).doesNotContain("secret");
    assertThat(problem.forOperators()).isTrue();
  }

  @Test
  void hidesDefectsAndErrorsOfUnknownFamilies() {
    for (Throwable failure :
        new Throwable[] {
          new IllegalStateException("secret"),
          new KvException(KvErrorCode.INTERNAL, "secret"),
          new UnknownError()
        }) {
      Problem problem = Problem.of(failure);
      assertThat(problem.status()).isEqualTo(500);
      assertThat(problem.code()).isEqualTo("INTERNAL");
      assertThat(problem.detail()).doesNotContain("secret");
    }
  }

  @Test
  void namesWhereToContinueAndWhereAQueryIsWrong() {
    Versionstamp oldest = Versionstamp.parse("00000000000000070000");
    Versionstamp since = Versionstamp.parse("00000000000000010000");
    var compacted = Problem.of(KvException.compacted(since, oldest)).toJson("r");
    assertThat(compacted.path("since").asText()).isEqualTo(since.toString());
    assertThat(compacted.path("oldest").asText()).isEqualTo(oldest.toString());
    assertThat(compacted.path("lost").isBoolean()).isTrue();
    assertThat(compacted.path("lost").asBoolean()).isFalse();
    assertThat(Problem.of(KvException.lost(since, oldest)).toJson("r").path("lost").asBoolean())
        .isTrue();
    Problem query =
        Problem.of(new QueryException(DocumentErrorCode.INVALID_QUERY, "SC1001", "text", 3, 5));
    assertThat(query.toJson("r").at("/errors/0/location/start").asInt()).isEqualTo(3);
    assertThat(query.toJson("r").at("/errors/0/code").asText()).isEqualTo("SC1001");
  }

  /** An error of a family that the server does not know. */
  private static final class UnknownError extends RuntimeException implements KvError {
    private static final long serialVersionUID = 1L;

    @Override
    public Code code() {
      return new Code() {
        @Override
        public String name() {
          return "SECRET";
        }

        @Override
        public boolean retryable() {
          return false;
        }
      };
    }

    @Override
    public String detail() {
      return "secret";
    }
  }
}
