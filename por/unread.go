package por

// Bytes that no step reads (Overwriter). Several threads store to them, and the order of these stores
// makes no difference: nothing looks at what they leave.
//
// Let M be the program, and U the bytes that nothing is said to read. Let M' be M, but that its states
// don't have the contents of U, and that it stops at a step that reads some of U. In M' two stores to
// U have the same result in both orders: the same state, with the same next steps. So they are
// independent there, if each is to bytes of U alone (trace.BlendStore). An access of other bytes with
// some of U keeps its order with both. M' is searched as any program is, with this independence.
//
// M and M' have the same executions up to the first step that reads some of U. If M has such an
// execution, M' has one that stops there, and the search runs one of its trace. It sees the step that
// reads. Then U gets smaller, and the search begins again. If it sees none, no execution of M reads U.
// So the executions of M are those of M', and all that threads do is in those that were run. What U
// holds in the end isn't. So nothing else may look at it: conditions, searches for leaks, twins with
// other bytes in fresh blocks. A System that has these says that there are no such bytes.
//
// A thread may stand before a read without an end, as in a loop that waits and whose polls aren't run.
// That counts as a read: an execution that ends there tells it. An operation on bytes of U does, too.
//
// Which bytes are in U is a guess, of the first execution: those that two threads store to, and that
// none reads. A guess costs a beginning if it is wrong, and changes nothing else.
//
// Judged by TestUnread, and by TestUnread in explore.
