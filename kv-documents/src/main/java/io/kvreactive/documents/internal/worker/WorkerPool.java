package io.kvreactive.documents.internal.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A pool of threads that share a few slots, one per core: only a thread with a slot runs. A thread
 * whose time slice is over passes its slot to waiting work and parks until its next turn. A task
 * may therefore yield anywhere, at any stack depth.
 *
 * <p>A task that is submitted by a running task waits for the end of that task, if nothing else was
 * submitted meanwhile: queries that follow each other need no other thread. Another thread starts
 * the task if the running one goes on for about a millisecond, or yields.
 *
 * <p>A task that waits for a read gives its slot away meanwhile, and is then new work again if it
 * has used little time.
 *
 * <p>Waiting work is served by level: new work comes before work that has used its first slices,
 * which gets at least every fourth slot. Within a level, scheduling is round-robin over databases,
 * then over the callers of a database. Threads are started on demand and end after they have been
 * idle for a while. Thread-safe.
 */
public final class WorkerPool {
  /**
   * Maximum number of threads, most of which are parked: tasks that have begun and wait for a slot.
   * At the maximum, only tasks that have begun are served until one of them ends. Threads that wait
   * for a read are not counted, up to {@link #MAX_WAITS}.
   */
  private static final int MAX_THREADS = 256;

  private static final int MAX_WAITS = 768;

  /**
   * Maximum number of threads that wait for reads of one database. At the maximum, its tasks do not
   * begin: a server that does not answer keeps only the work of its own database from beginning.
   */
  private static final int MAX_WAITS_OF_DATABASE = 128;

  private static final long IDLE_NANOS = 10_000_000_000L;

  /** Number of consecutive slots for new work before other work gets a slot. */
  private static final int NEW_IN_A_ROW = 3;

  private static final int RETURNED = 0; // threads after a wait, with little work so far
  private static final int NEW = 1; // new tasks, with little work so far
  private static final int LATER = 2; // tasks of queries that have used their first slices
  private static final int YIELDED = 3; // threads that have a task and have yielded
  private static final int LEVELS = 4;

  private final String name;
  private final int slots;
  private final long sliceNanos;
  private final Consumer<Runnable> soon;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by the lock
  private final List<Deque<Database>> waiting = rings();
  private final Deque<WorkerThread> idle = new ArrayDeque<>();
  private int used; // number of slots in use
  private int threads;
  private int numbered;
  private int newInARow;
  private int longCalls; // that run without a slot
  private int waits; // for reads, without a slot
  private int fullDatabases; // with the maximum number of waits
  private final Deque<WorkerThread> waitingCalls = new ArrayDeque<>();
  private boolean tasksNext;
  private final List<WorkerThread> followed = new ArrayList<>(); // threads with a following task
  private boolean hasFollowed; // a task has followed another one since the last look
  private boolean isLooking;

  private volatile long idleNanos = IDLE_NANOS;

  /**
   * Creates a pool.
   *
   * @param name the prefix of the thread names, which is followed by a number
   * @param slots the maximum number of running threads
   * @param sliceNanos the time that a task may keep a slot while other work waits
   * @param soon runs a task about a millisecond later, on another thread
   */
  WorkerPool(String name, int slots, long sliceNanos, Consumer<Runnable> soon) {
    this.name = name;
    this.slots = slots;
    this.sliceNanos = sliceNanos;
    this.soon = soon;
  }

  private static <E> List<Deque<E>> rings() {
    return IntStream.range(0, LEVELS).mapToObj(level -> (Deque<E>) new ArrayDeque<E>()).toList();
  }

  /** The work of one database in this pool. */
  public final class Database {
    private final List<Deque<Lane>> waitingLanes = rings(); // guarded by the lock
    private final Map<String, Lane> byCaller = new HashMap<>(); // guarded by the lock
    private final Lane own = new Lane(this, "");
    private int waits; // guarded by the lock

    /** Returns the lane of work without a caller. */
    public Lane lane() {
      return own;
    }

    /** Returns the lane of a caller, which must be released. */
    Lane lane(String caller) {
      lock.lock();
      try {
        Lane lane = byCaller.computeIfAbsent(caller, key -> new Lane(this, key));
        lane.users++;
        return lane;
      } finally {
        lock.unlock();
      }
    }

    void release(Lane lane) {
      lock.lock();
      try {
        if (--lane.users == 0) {
          byCaller.remove(lane.caller);
        }
      } finally {
        lock.unlock();
      }
    }

    WorkerPool pool() {
      return WorkerPool.this;
    }

    private boolean isFull() {
      return waits >= MAX_WAITS_OF_DATABASE;
    }

    private void beginWait() {
      waits++;
      WorkerPool.this.waits++;
      fullDatabases += waits == MAX_WAITS_OF_DATABASE ? 1 : 0;
    }

    private void endWait() {
      fullDatabases -= waits == MAX_WAITS_OF_DATABASE ? 1 : 0;
      waits--;
      WorkerPool.this.waits--;
    }
  }

  /** The work of one caller in one database. */
  public static final class Lane {
    private final Database database;
    private final String caller;
    private final List<Deque<Object>> waitingWork = rings(); // tasks or threads; by the lock
    private int users; // guarded by the lock

    private Lane(Database database, String caller) {
      this.database = database;
      this.caller = caller;
    }

    Database database() {
      return database;
    }
  }

  long sliceNanos() {
    return sliceNanos;
  }

  /** Adds a database to the round-robin scheduling. */
  public Database database() {
    return new Database();
  }

  /** Runs a task as soon as a slot is free, or after the task that submits it. */
  void execute(Task task) {
    WorkerThread submitter =
        Thread.currentThread() instanceof WorkerThread worker && worker.isOf(this) ? worker : null;
    WorkerThread thread = null;
    boolean mustLook = false;
    lock.lock();
    try {
      Task first = task;
      if (submitter != null && hasFreeSlot()) {
        first = submitter.following;
        submitter.following = task;
      }
      if (first != null) {
        thread = start(first);
      } else {
        followed.add(Objects.requireNonNull(submitter));
        hasFollowed = true;
        mustLook = !isLooking;
        isLooking = true;
      }
    } finally {
      lock.unlock();
    }
    wake(thread);
    if (mustLook) {
      soon.accept(this::look);
    }
  }

  /** Starts the tasks whose predecessors still run. */
  private void look() {
    List<@Nullable WorkerThread> started = new ArrayList<>();
    boolean goesOn;
    lock.lock();
    try {
      for (WorkerThread thread : List.copyOf(followed)) {
        started.add(startFollowing(thread));
      }
      goesOn = hasFollowed;
      isLooking = goesOn;
      hasFollowed = false;
    } finally {
      lock.unlock();
    }
    started.forEach(WorkerPool::wake);
    if (goesOn) {
      soon.accept(this::look);
    }
  }

  /** Starts the task that waits for the end of the thread's current task, if there is one. */
  void passFollowing(WorkerThread thread) {
    WorkerThread other;
    lock.lock();
    try {
      other = startFollowing(thread);
    } finally {
      lock.unlock();
    }
    wake(other);
  }

  private static void wake(@Nullable WorkerThread thread) {
    if (thread == null) {
      return;
    }
    if (thread.getState() == Thread.State.NEW) {
      thread.start();
    } else {
      LockSupport.unpark(thread);
    }
  }

  // ---- on the pool's threads

  /** Runs tasks until the thread must end. */
  void work(WorkerThread thread) {
    while (true) {
      Task task = thread.assigned;
      thread.assigned = null;
      while (task != null) {
        thread.run(task);
        task = nextTask(thread);
      }
      if (!awaitTask(thread)) {
        return;
      }
    }
  }

  /** Returns the next task for the thread's slot, or null if the thread has passed its slot on. */
  private @Nullable Task nextTask(WorkerThread thread) {
    WorkerThread other = null;
    lock.lock();
    try {
      Task following = takeFollowing(thread);
      if (following != null) {
        return following;
      }
      Object next = poll(true);
      if (next instanceof Task task) {
        return task;
      }
      idle.push(thread);
      if (next == null) {
        used--;
        return null;
      }
      other = (WorkerThread) next;
      other.granted = true;
    } finally {
      lock.unlock();
    }
    LockSupport.unpark(other);
    return null;
  }

  /** Waits for a task. Returns false if the thread has been idle for long enough to end. */
  private boolean awaitTask(WorkerThread thread) {
    if (thread.spinWait.until(() -> thread.assigned != null)) {
      return true;
    }
    long deadline = System.nanoTime() + idleNanos;
    while (thread.assigned == null) {
      long left = Math.min(idleNanos, deadline - System.nanoTime());
      if (left > 0) {
        LockSupport.parkNanos(this, left);
        var unused = Thread.interrupted();
        continue;
      }
      lock.lock();
      try {
        if (thread.assigned == null) {
          idle.remove(thread);
          threads--;
          return false;
        }
      } finally {
        lock.unlock();
      }
    }
    return true;
  }

  /** Passes the thread's slot to waiting work, if any, and waits for another slot. */
  void yieldTurn(WorkerThread thread) {
    WorkerThread other;
    lock.lock();
    try {
      Object next = poll(mayStart());
      if (next == null) {
        return;
      }
      thread.granted = false;
      add(YIELDED, Objects.requireNonNull(thread.lane), thread);
      other = resume(next);
    } finally {
      lock.unlock();
    }
    wake(other);
    awaitGrant(thread);
  }

  /**
   * Gives the thread's slot away, for a call that may take long and cannot yield. Returns when the
   * call may run: as many run at a time as there are slots, beside the threads that have one.
   */
  void beginLongCall(WorkerThread thread) {
    WorkerThread other;
    boolean mayRun;
    lock.lock();
    try {
      other = passSlot();
      mayRun = longCalls < slots;
      if (mayRun) {
        longCalls++;
      } else {
        thread.granted = false;
        waitingCalls.add(thread);
      }
    } finally {
      lock.unlock();
    }
    wake(other);
    if (!mayRun) {
      awaitGrant(thread);
    }
  }

  /** Ends what {@link #beginLongCall} began. Returns when the thread has a slot again. */
  void endLongCall(WorkerThread thread) {
    WorkerThread nextCall;
    boolean hasSlot;
    lock.lock();
    try {
      nextCall = waitingCalls.poll();
      if (nextCall == null) {
        longCalls--;
      } else {
        nextCall.granted = true;
      }
      hasSlot = takeSlot(thread, YIELDED);
    } finally {
      lock.unlock();
    }
    if (nextCall != null) {
      LockSupport.unpark(nextCall);
    }
    if (!hasSlot) {
      awaitGrant(thread);
    }
  }

  /**
   * Waits without the slot of the current thread, and returns when the thread has a slot again.
   *
   * @param isOver the condition to wait for; who makes it true wakes the thread
   */
  void await(WorkerThread thread, BooleanSupplier isOver) {
    Database database = Objects.requireNonNull(thread.lane).database;
    WorkerThread other;
    lock.lock();
    try {
      database.beginWait();
      other = passSlot();
    } finally {
      lock.unlock();
    }
    wake(other);
    if (!thread.valueWait.until(isOver)) {
      while (!isOver.getAsBoolean()) {
        LockSupport.park(this);
        var unused = Thread.interrupted();
      }
    }
    boolean hasSlot;
    WorkerThread begun = null;
    lock.lock();
    try {
      hasSlot = takeSlot(thread, thread.isNew() ? RETURNED : YIELDED);
      boolean wasFull = database.isFull();
      database.endWait();
      if (wasFull && used < slots) { // a task of the database may begin
        Object next = poll(mayStart());
        used += next == null ? 0 : 1;
        begun = next == null ? null : resume(next);
      }
    } finally {
      lock.unlock();
    }
    wake(begun);
    if (!hasSlot) {
      awaitGrant(thread);
    }
  }

  private void awaitGrant(WorkerThread thread) {
    while (!thread.granted) {
      LockSupport.park(this);
      var unused = Thread.interrupted();
    }
  }

  // ---- scheduling; with the lock held

  /** Returns true if a thread is available for a task. */
  private boolean mayStart() {
    return !idle.isEmpty() || threads < MAX_THREADS + Math.min(waits, MAX_WAITS);
  }

  private boolean hasFreeSlot() {
    return used < slots && mayStart();
  }

  /** Passes a slot to waiting work, if any. Returns the thread to wake, or null for none. */
  private @Nullable WorkerThread passSlot() {
    Object next = poll(mayStart());
    if (next != null) {
      return resume(next);
    }
    used--;
    return null;
  }

  /**
   * Takes a slot for a thread that gave its own away. Returns false if the thread must wait.
   *
   * @param level the level at which the thread waits
   */
  private boolean takeSlot(WorkerThread thread, int level) {
    if (used < slots) {
      used++;
      return true;
    }
    thread.granted = false;
    add(level, Objects.requireNonNull(thread.lane), thread);
    return false;
  }

  /** Returns the thread to wake for a task, or null if the task must wait for a slot. */
  private @Nullable WorkerThread start(Task task) {
    if (!hasFreeSlot() || task.lane().database.isFull()) {
      add(task.isNew() ? NEW : LATER, task.lane(), task);
      return null;
    }
    used++;
    return assign(task);
  }

  private @Nullable WorkerThread startFollowing(WorkerThread thread) {
    Task task = takeFollowing(thread);
    return task == null ? null : start(task);
  }

  private @Nullable Task takeFollowing(WorkerThread thread) {
    Task task = thread.following;
    if (task != null) {
      thread.following = null;
      followed.remove(thread);
    }
    return task;
  }

  /** Assigns a task to an idle thread, or to a new one. */
  private WorkerThread assign(Task task) {
    WorkerThread thread = idle.poll();
    if (thread == null) {
      threads++;
      thread = new WorkerThread(this, name + "-" + ++numbered);
    }
    thread.assigned = task;
    return thread;
  }

  /** Passes a slot to work returned by {@link #poll(boolean)}, and returns the thread to wake. */
  private WorkerThread resume(Object work) {
    if (work instanceof Task task) {
      return assign(task);
    }
    WorkerThread thread = (WorkerThread) work;
    thread.granted = true;
    return thread;
  }

  private void add(int level, Lane lane, Object work) {
    Deque<Object> queue = lane.waitingWork.get(level);
    if (queue.isEmpty()) {
      Deque<Lane> lanes = lane.database.waitingLanes.get(level);
      if (lanes.isEmpty()) {
        waiting.get(level).add(lane.database);
      }
      lanes.add(lane);
    }
    queue.add(work);
  }

  /**
   * Returns the next work, or null if there is none.
   *
   * @param mayStart true if a thread is available for a task
   */
  private @Nullable Object poll(boolean mayStart) {
    boolean hasTasks = mayStart && hasTasks(LATER);
    boolean hasYielded = !waiting.get(YIELDED).isEmpty();
    boolean hasReturned = !waiting.get(RETURNED).isEmpty();
    boolean hasNew = hasReturned || mayStart && hasTasks(NEW);
    if (hasNew && (newInARow < NEW_IN_A_ROW || !hasTasks && !hasYielded)) {
      newInARow++;
      return poll(hasReturned ? RETURNED : NEW);
    }
    newInARow = 0;
    if (hasTasks && (tasksNext || !hasYielded)) {
      tasksNext = false;
      return poll(LATER);
    }
    tasksNext = true;
    return hasYielded ? poll(YIELDED) : null;
  }

  /** Returns true if a level has a task that may begin. */
  private boolean hasTasks(int level) {
    Deque<Database> databases = waiting.get(level);
    return fullDatabases == 0
        ? !databases.isEmpty()
        : databases.stream().anyMatch(database -> !database.isFull());
  }

  private Object poll(int level) {
    Deque<Database> databases = waiting.get(level);
    Database database = databases.remove();
    while ((level == NEW || level == LATER) && database.isFull()) {
      databases.add(database);
      database = databases.remove();
    }
    Deque<Lane> lanes = database.waitingLanes.get(level);
    Lane lane = lanes.remove();
    Deque<Object> queue = lane.waitingWork.get(level);
    Object work = queue.remove();
    if (!queue.isEmpty()) {
      lanes.add(lane);
    }
    if (!lanes.isEmpty()) {
      databases.add(database);
    }
    return work;
  }

  /** Ends threads as soon as they are idle. Tasks are still run. */
  void close() {
    List<WorkerThread> ending;
    idleNanos = 0;
    lock.lock();
    try {
      ending = List.copyOf(idle);
    } finally {
      lock.unlock();
    }
    ending.forEach(LockSupport::unpark);
  }
}
