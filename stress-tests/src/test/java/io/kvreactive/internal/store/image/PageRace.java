package io.kvreactive.internal.store.image;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.KvException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A page that a reader compares with its checksum while it is written is not taken for damaged. */
@JCStressTest
@Outcome(
    id = {"0, 1, 0", "1, 1, 0"},
    expect = ACCEPTABLE,
    desc = "the page before or after the write")
@Outcome(
    id = ".*",
    expect = FORBIDDEN,
    desc = "the page was taken for damaged, or its change was lost")
@State
public class PageRace {

  private final ByteBuffer mapping = ByteBuffer.allocate(Pager.PAGE);
  private volatile int checksum = PageChecksums.of(mapping.duplicate());
  private final Pager pager = new Pager(new Pages());

  private final class Pages implements Pager.PageSource {
    @Override
    public void read(ByteBuffer page, long offset) {
      page.put(mapping.duplicate());
    }

    @Override
    public int checksum(long page) {
      return checksum;
    }

    @Override
    public int checksumOfUnwritten(long page) {
      return checksum;
    }

    @Override
    public Path path() {
      return Path.of("image.db");
    }
  }

  public PageRace() {
    pager.mapped(0, mapping);
  }

  @Actor
  public void read(III_Result result) {
    try {
      result.r1 = pager.getByte(0);
    } catch (KvException damaged) {
      result.r1 = 2;
    }
  }

  @Actor
  public void write() {
    pager.putData(0, new byte[] {1}, 0, 1);
    byte[] page = pager.dirtyPage(0);
    mapping.duplicate().put(page); // as a checkpoint does
    checksum = PageChecksums.of(ByteBuffer.wrap(page));
    pager.clean();
  }

  @Arbiter
  public void end(III_Result result) {
    result.r2 = pager.getByte(0);
    result.r3 = (int) pager.damagedPages();
  }
}
