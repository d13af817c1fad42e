package io.kvreactive.bench.codec;

import io.kvreactive.KvKey;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Measures encoding and decoding of keys. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class KeyBenchmark {
  private int number;
  private final byte[] encoded = KvKey.of("bench", "set", 12_345).bytes();

  @Benchmark
  public KvKey encodeNumber() {
    return KvKey.of("bench", "set", number++);
  }

  @Benchmark
  public KvKey encodeBigint() {
    return KvKey.of("bench", "set", (long) number++);
  }

  @Benchmark
  public List<Object> decode() {
    return KvKey.fromEncoded(encoded).parts();
  }

  @Benchmark
  public double decodeOnePart() {
    return KvKey.fromEncoded(encoded).numberAt(2);
  }
}
