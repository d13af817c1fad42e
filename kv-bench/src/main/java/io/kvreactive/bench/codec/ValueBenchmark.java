package io.kvreactive.bench.codec;

import io.kvreactive.KvValue;
import io.kvreactive.bench.Data;
import io.kvreactive.internal.value.ValueMapper;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Small values to bytes and back: natural types, and a record by way of Jackson. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ValueBenchmark {
  /** A typical small value. */
  public record User(String name, int age, List<String> roles) {}

  private final ValueMapper mapper = new ValueMapper();
  private final byte[] bytes = Data.value();
  private final User user = new User("Ada Lovelace", 36, List.of("admin", "author"));
  private final Map<String, Object> map =
      Map.of("name", user.name(), "age", user.age(), "roles", user.roles());
  private final KvValue storedBytes = mapper.encode(bytes);
  private final KvValue storedString = mapper.encode(user.name());
  private final KvValue storedUser = mapper.encode(user);

  @Benchmark
  public KvValue encodeBytes() {
    return mapper.encode(bytes);
  }

  @Benchmark
  public KvValue encodeString() {
    return mapper.encode(user.name());
  }

  @Benchmark
  public KvValue encodeMap() {
    return mapper.encode(map);
  }

  @Benchmark
  public KvValue encodeRecord() {
    return mapper.encode(user);
  }

  @Benchmark
  public @Nullable Object decodeBytes() {
    return mapper.decode(storedBytes, byte[].class);
  }

  @Benchmark
  public @Nullable Object decodeString() {
    return mapper.decode(storedString, String.class);
  }

  @Benchmark
  public @Nullable Object decodeMap() {
    return mapper.decode(storedUser, Object.class);
  }

  @Benchmark
  public @Nullable User decodeRecord() {
    return mapper.decode(storedUser, User.class);
  }
}
