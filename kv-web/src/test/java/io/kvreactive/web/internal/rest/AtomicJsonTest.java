package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.CommitResult;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvKey;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The body of {@code POST /api/v1/atomic}. */
class AtomicJsonTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static AtomicJson read(String json) throws Exception {
    return AtomicJson.read(JSON.readTree(json.replace('\'', '"')), "body", () -> 1000);
  }

  @Test
  void readsAllParts() throws Exception {
    Commit commit =
        read("{'checks':[{'key':['a'],'versionstamp':null}],"
                + "'mutations':[{'type':'set','key':['a'],'value':1,'expireIn':5},"
                + "{'type':'deleteRange','prefix':['b']},{'type':'touch','key':['c'],'expireAt':0}],"
                + "'enqueues':[{'value':1,'delay':7}]}")
            .commit();
    assertThat(commit.checks()).hasSize(1);
    Mutation.Set set = (Mutation.Set) commit.mutations().get(0);
    assertThat(set.key()).isEqualTo(KvKey.of("a").bytes());
    assertThat(set.expireAt()).isEqualTo(1005);
    assertThat(commit.mutations()).hasSize(3);
    assertThat(commit.enqueues().get(0).deliverAt()).isEqualTo(1007);
    assertThat(commit.enqueues().get(0).backoff())
        .isEqualTo(EnqueueOptions.DEFAULT.backoff().stream().map(Duration::toMillis).toList());
  }

  @Test
  void findsTheFailedChecksOfTheRequest() throws Exception {
    AtomicJson request =
        read(
            "{'checks':[{'prefix':['a'],'unchangedSince':'00000000000000010000'},"
                + "{'key':['a'],'versionstamp':null},"
                + "{'start':['a'],'end':['b'],'unchangedSince':'00000000000000020000'},"
                + "{'key':['b'],'versionstamp':null}]}");
    assertThat(request.commit().checks()).hasSize(2);
    assertThat(request.commit().rangeChecks())
        .extracting(check -> check.since().version())
        .containsExactly(1L, 2L);
    assertThat(request.failedChecks(CommitResult.conflict(List.of(1, 2)))).containsExactly(0, 3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'mutation':[]}|mutation",
        "{'mutations':[{'type':'set','key':['a'],'value':1,'expirein':5}]}|expirein",
        "{'mutations':[{'type':'put','key':['a']}]}|expected: set",
        "{'mutations':[{'type':'set','key':['a']}]}|value",
        "{'mutations':[{'type':'deleteRange'}]}|prefix",
        "{'mutations':[{'type':'touch','key':['a']}]}|expireAt",
        "{'mutations':{}}|an array",
        "{'checks':[{'key':['a'],'versionstamp':5}]}|string",
        "{'enqueues':[{'value':1,'delay':'soon'}]}|whole number",
      },
      quoteCharacter = '~')
  void rejectsOtherMembersAndTypes(String json, String reason) {
    assertThatThrownBy(() -> read(json))
        .hasMessageContaining(reason)
        .isInstanceOfSatisfying(
            WebException.class, e -> assertThat(e.code()).isEqualTo(WebErrorCode.BAD_REQUEST));
  }
}
