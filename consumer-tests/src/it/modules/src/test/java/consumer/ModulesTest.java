package consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import consumer.Users.User;
import io.kvreactive.Kv;
import io.kvreactive.documents.DocumentStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModulesTest {
  @TempDir Path directory;

  @Test
  void storesAndReadsOnTheModulePath() {
    assertEquals("consumer", Users.class.getModule().getName());
    assertEquals("io.kvreactive", Kv.class.getModule().getName());
    assertEquals("io.kvreactive.documents", DocumentStore.class.getModule().getName());
    assertEquals(
        List.of(new User("1", "Ada"), new User("2", "Grace")),
        Users.storeAndRead(directory).block(Duration.ofSeconds(60)));
  }
}
