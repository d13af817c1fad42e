package io.kvreactive.documents.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.QueryException;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlErrorsTest {
  private static QueryException refusal(String text) {
    QueryException refusal = catchThrowableOfType(QueryException.class, () -> Sql.parse(text));
    assertThat(refusal).as(text.length() < 100 ? text : text.substring(0, 100)).isNotNull();
    return refusal;
  }

  /** The error names the wrong text, which is the text between start and end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          SELECT * FORM c                        ; FORM
          SELECT c.value FROM c                  ; value
          SELECT * FROM c WHERE c.a == 1         ; =
          SELECT * FROM c WHERE c.a IN (1) = 2   ; =
          SELECT * FROM c WHERE c.a IS NULL      ; IS
          SELECT a, FROM c                       ; FROM
          SELECT * FROM c LIMIT 5                ; LIMIT
          SELECT TOP 1.5 * FROM c                ; 1.5
          SELECT TOP -1 * FROM c                 ; -
          SELECT * FROM c WHERE c.a LIKE 'x' ESCAPE c.b ; c
          SELECT 'a\\qb' FROM c                  ; \\q
          SELECT 'a\\u12x4' FROM c               ; \\u12x
          SELECT "abc FROM c                     ; "
          SELECT # FROM c                        ; #
          SELECT c.a[] FROM c                    ; ]
          SELECT {a 1}                           ; 1
          SELECT COUNT(*) FROM c                 ; *
          SELECT MAYBE(SELECT 1)                 ; MAYBE
          SELECT c.f(1) FROM c                   ; (
          SELECT * FROM c[99999999999]           ; 99999999999
          SELECT 1 SELECT 2                      ; SELECT
          SELECT * FROM c ORDER c.a              ; c
          SELECT * FROM select                   ; select
          SELECT (1 + 2                          ; ``
          SELECT                                 ; ``
          SELECT * FROM c OFFSET 1               ; ``
          """)
  void reportsThePositionOfSyntaxErrors(String text, String near) {
    QueryException refusal = refusal(text);
    assertThat(refusal.detailCode()).isEqualTo("SC1001");
    assertThat(refusal.code()).isEqualTo(DocumentErrorCode.INVALID_QUERY);
    assertThat(text.substring(refusal.start(), refusal.end())).isEqualTo(near);
    assertThat(refusal).hasMessageContaining(near.isEmpty() ? "ends too early" : "'" + near + "'");
  }

  /** The error says what to write instead of forms of other SQL dialects. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          SELECT * FROM c LIMIT 5            ; Write OFFSET 0 LIMIT n, or SELECT TOP n.
          SELECT * FROM c LIMIT 5 OFFSET 2   ; Write OFFSET 0 LIMIT n, or SELECT TOP n.
          SELECT COUNT(*) FROM c             ; Write COUNT(1).
          SELECT VALUE count ( * ) FROM c    ; Write COUNT(1).
          SELECT * FROM c WHERE c.a == 1     ; Write = for equality.
          SELECT * FROM c WHERE c.a IS NULL  ; Write IS_NULL(x) or IS_DEFINED(x).
          """)
  void namesTheFormToWriteInstead(String text, String hint) {
    assertThat(refusal(text)).hasMessageEndingWith("'. " + hint);
  }

  @Test
  void rejectsSemicolons() {
    QueryException refusal = refusal("SELECT 1;");
    assertThat(refusal.start()).isEqualTo(8);
    assertThat(refusal.end()).isEqualTo(9);
  }

  @Test
  void rejectsEmptyText() {
    assertThat(refusal("").detailCode()).isEqualTo("SC1001");
    assertThat(refusal("  -- nothing").end()).isEqualTo(12);
  }

  @Test
  void countsPositionsInUtf16Units() {
    QueryException refusal = refusal("SELECT '😀😀' FORM c");
    assertThat(refusal.start()).isEqualTo(19);
    assertThat(refusal.end()).isEqualTo(20);
  }

  @Test
  void rejectsUserDefinedFunctions() {
    QueryException refusal = refusal("SELECT VALUE udf.tax(1)");
    assertThat(refusal.detailCode()).isEqualTo("SC2005");
    assertThat(refusal).hasMessageContaining("udf.tax");
  }

  private static String times(String part, int times) {
    return String.join("", Collections.nCopies(times, part));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(",
        "[",
        "{a:",
        "NOT(",
        "-(",
        "a?",
        "a.from?",
        "EXISTS(SELECT ",
        "ABS(",
        "c[",
        "(SELECT * FROM ("
      })
  void rejectsExcessiveNesting(String opening) {
    QueryException refusal = refusal("SELECT " + times(opening, 30_000 / opening.length()));
    assertThat(refusal.code()).isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
    assertThat(refusal).hasMessageContaining("100 levels");
  }

  @ParameterizedTest
  @CsvSource({
    "NOT ,1",
    "- ,1",
    "'~',1",
    "'',1",
    "'1 + ',1",
    "'1 * ',1",
    "'c.a & ',1",
    "'-a,',-b",
    "'c.a = 1 OR ',1",
    "'1,',1",
  })
  void parsesLongRunsWithLittleStackAndTime(String part, String end) {
    String text = "SELECT " + times(part.isEmpty() ? "c.a." : part, 60_000) + end;
    // accepted or rejected in linear time; quadratic time would exceed the time limit of the build
    QueryException refusal = catchThrowableOfType(QueryException.class, () -> Sql.parse(text));
    if (refusal != null) {
      assertThat(refusal.code())
          .isIn(DocumentErrorCode.LIMIT_EXCEEDED, DocumentErrorCode.INVALID_QUERY);
    }
  }

  @Test
  void limitsTermsToSixThousand() {
    String or = "SELECT * FROM c WHERE " + times("c.a = 1 OR ", 5_999) + "c.a = 2";
    assertThat(Sql.parse(or).where()).isNotNull();
    assertThat(Sql.parse(or.replace(" OR ", " AND ")).where()).isNotNull();
    String in = "SELECT * FROM c WHERE c.a IN (" + times("1, ", 5_999) + "2)";
    assertThat(Sql.parse(in).where()).isNotNull();
    assertThat(refusal(or + " OR 1").code()).isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
    assertThat(refusal(in.replace("2)", "2, 3)")).code())
        .isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
    assertThat(refusal("SELECT " + times("'a' || ", 6_000) + "'b'").code())
        .isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
  }

  @Test
  void scansAnUnclosedQuoteOnce() {
    QueryException refusal = refusal("SELECT " + times("\"\\", 200_000));
    assertThat(refusal.start()).isEqualTo(7);
  }

  @Test
  void limitsTheLengthOfText() {
    String blank = " ".repeat(SqlLimits.TEXT_BYTES - "SELECT 1".length());
    assertThat(Sql.parse("SELECT" + blank + " 1")).isEqualTo(Sql.parse("SELECT 1"));
    assertThat(refusal("SELECT" + blank + "  1").code())
        .isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
    assertThat(refusal("SELECT '" + "å".repeat(SqlLimits.TEXT_BYTES / 2) + "'").code())
        .isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
    assertThat(refusal("SELECT 1" + times(",1", 50_000)).code())
        .isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
    assertThat(refusal("SELECT " + "9".repeat(100_000)).code())
        .isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
  }

  @Test
  void rejectsElevenJoins() {
    String ten = "SELECT 1 FROM c" + times(" JOIN c.a", 10);
    assertThat(Sql.parse(ten).from()).hasSize(11);
    assertThat(refusal(ten + " JOIN c.b").code()).isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
    assertThat(refusal(ten + " WHERE EXISTS(SELECT 1 FROM c JOIN c.b)").code())
        .isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
  }
}
