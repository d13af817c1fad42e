package io.kvreactive.bench.codec;

import io.kvreactive.KvValue;
import io.kvreactive.bench.Data;
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

/** Measures encoding and decoding of small values: natural types, and a record by Jackson. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ValueBenchmark {
  /** A typical small value. */
  public record User(String name, int age, List<String> roles) {}

  private final byte[] bytes = Data.value();
  private final User user = new User("Ada Lovelace", 36, List.of("admin", "author"));
  private final Map<String, Object> map =
      Map.of("name", user.name(), "age", user.age(), "roles", user.roles());
  private final KvValue storedBytes = KvValue.of(bytes);
  private final KvValue storedString = KvValue.of(user.name());
  private final KvValue storedUser = KvValue.of(user);

  @Benchmark
  public KvValue encodeBytes() {
    return KvValue.of(bytes);
  }

  @Benchmark
  public KvValue encodeString() {
    return KvValue.of(user.name());
  }

  @Benchmark
  public KvValue encodeMap() {
    return KvValue.of(map);
  }

  @Benchmark
  public KvValue encodeRecord() {
    return KvValue.of(user);
  }

  @Benchmark
  public @Nullable Object decodeBytes() {
    return storedBytes.as(byte[].class);
  }

  @Benchmark
  public @Nullable Object decodeString() {
    return storedString.as(String.class);
  }

  @Benchmark
  public @Nullable Object decodeMap() {
    return storedUser.as(Object.class);
  }

  @Benchmark
  public @Nullable User decodeRecord() {
    return storedUser.as(User.class);
  }
}
