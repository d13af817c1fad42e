package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The state and the memory of vector indexes, as a server and the command line report them. */
@Timeout(300)
@ExtendWith(VertxExtension.class)
class VectorIndexStateTest {
  private static final int ITEMS = 1500;
  private static final long MAX_MEMORY = 40L << 20;

  @TempDir Path directory;

  @Test
  void reportsStateAndMemoryOfVectorIndexes(Vertx vertx) throws Exception {
    Path definition = directory.resolve("definition.json");
    Files.writeString(
        definition,
        """
        {"indexingPolicy": {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/v/*"}],
          "vectorIndexes": [{"path": "/v", "type": "diskANN"}]},
         "vectorEmbeddingPolicy": {"vectorEmbeddings": [
          {"path": "/v", "dataType": "float32", "dimensions": 4, "distanceFunction": "euclidean"}]}}
        """);
    ServerOptions options = ServerOptions.at(directory.resolve("served"));
    OperationsOptions operations =
        options.operations().withMaxVectorMemoryBytes(MAX_MEMORY).withMetrics(TestServer.metrics());
    try (TestServer server = TestServer.start(vertx, options.withOperations(operations))) {
      run(server, "", "collection", "create", "c", "--policy", definition.toString());
      run(server, items(0, 10), "collection", "load", "c", "-");
      assertThat(vectorIndex(server).toString())
          .contains("\"entries\":10,")
          .contains("\"ready\":false,\"vectorsInMemory\":0,\"memoryBytes\":0");

      run(server, items(10, ITEMS), "collection", "load", "c", "-");
      JsonNode index = vectorIndex(server);
      while (!index.path("ready").asBoolean() || index.path("vectorsInMemory").asInt() < ITEMS) {
        index = vectorIndex(server);
      }
      assertThat(index.path("entries").asInt()).isEqualTo(ITEMS);
      assertThat(index.path("memoryBytes").asLong()).isBetween(1L, MAX_MEMORY);

      String stats = run(server, "", "stats");
      assertThat(stats)
          .contains("vectors.memoryBytes\t" + index.path("memoryBytes").asLong() + "\n")
          .contains("vectors.maxMemoryBytes\t" + MAX_MEMORY + "\n");
      assertThat(server.get("/metrics").body())
          .contains("kv_vector_memory_limit_bytes " + (double) MAX_MEMORY + "\n");
    }
  }

  private static JsonNode vectorIndex(TestServer server) throws Exception {
    JsonNode indexes =
        JsonMapper.builder()
            .build()
            .readTree(run(server, "", "collection", "get", "c", "--sizes"))
            .at("/sizes/indexes");
    for (JsonNode index : indexes) {
      if (index.path("index").asText().startsWith("vector#")) {
        return index;
      }
    }
    throw new AssertionError("no vector index: " + indexes);
  }

  private static String run(TestServer server, String input, String... command) throws Exception {
    KvProcess.Result result = KvRunner.on(server).with(input, command);
    assertThat(result.exit()).as("%s: %s", List.of(command), result.err()).isZero();
    return result.out();
  }

  private static String items(int from, int to) {
    Random random = new Random(from);
    return IntStream.range(from, to)
        .mapToObj(
            id -> "{\"id\":\"%d\",\"v\":%s}\n".formatted(id, random.doubles(4).boxed().toList()))
        .collect(Collectors.joining());
  }
}
