package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServeCreateTest {
  @Test
  void saysThatServeCreatesItsStores() throws Exception {
    KvProcess.Result result = KV.run("serve", "--create");
    assertThat(result.exit()).isEqualTo(2);
    assertThat(result.err())
        .isEqualTo(
            """
            kv: Unknown option: '--create'
            kv serve creates stores that do not exist. Omit --create.
            Try 'kv serve --help'.
            """);
  }
}
