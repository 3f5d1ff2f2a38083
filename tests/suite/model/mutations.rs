//! Rules broken on purpose. Each must be found out by a rule of the model, or the rules are too weak.

macro_rules! mutations {
    ($($name:ident = $about:literal,)*) => {
        /// A rule that is broken.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Mutation {
            $($name,)*
        }

        impl Mutation {
            pub(super) const ALL: &[Self] = &[$(Self::$name,)*];

            pub(super) const fn about(self) -> &'static str {
                match self {
                    $(Self::$name => $about,)*
                }
            }
        }
    };
}

mutations! {
    ClaimUnconditional = "a delivery claims whatever stands there",
    ExpiredEarly = "a claim counts as expired before it is",
    ExpiredStays = "a claim that has expired counts as there until it is deleted",
    TtlFromTheStart = "a deferred claim expires from the start",
    DoneStaysOpen = "a completion leaves the claim in the index",
    DoneForEver = "a completion sets no expiry",
    EntryUnconditional = "an entry is put whatever the ledger holds",
    MessageUnconditional = "a message is put whatever stands there",
    MessageWithoutItsEntry = "a message is put though its entry is skipped",
    MessageBeforeCommit = "a worker tells the sink before it completes",
    MessageDoneUnsent = "a message is closed without having been sent",
    RevivalWithoutOwner = "a redelivery brings back whatever is parked by now",
    RevivalWritesReply = "a redelivery that brings a claim back replaces the reply",
    MismatchRevives = "a parked claim is brought back by another effect",
    MismatchForgotten = "a mismatch is answered and not kept",
    AnswersBeforeItIsDurable = "success is answered though nothing was heard of the commit",
    CommitOwnUnknown = "a commit does not know its own write again",
    UpdateOwnUnknown = "a lease, release or park does not know its own write again",
    CompletionOwnUnknown = "a completion does not know its own write again",
    ChangeOwnUnknown = "a change by the watch or a person does not know its own write again",
    CompletionWithoutFence = "a completion does not ask for the owner",
    CompletionOfAnyState = "a completion does not ask for the state",
    ReleaseWithoutFence = "a release does not ask for the owner",
    ReleaseStaysProcessing = "a release leaves the claim as it is",
    ParkWithoutFence = "a worker's park does not ask for the owner",
    ParkedStaysOpen = "a worker's park leaves the claim in the open half of the index",
    PayloadGoneBeforeDone = "a worker deletes the kept bytes before it completes",
    LeaseBeforeDue = "a lease does not ask whether the claim is due",
    LeaseForEver = "a lease does not count attempts",
    LeaseOfHeld = "a lease takes up a lost run that is on hold",
    RedriveOfAnyOwner = "a re-drive does not ask for the owner it saw",
    RedriveOfHeld = "a lost run on hold is re-driven",
    RedriveResetsAttempts = "a re-drive begins to count anew",
    RedriveMakesYoung = "a re-drive resets the age",
    NothingIsRedriven = "the watch re-drives nothing",
    SpentIsLeft = "the watch leaves what is spent",
    HeldIsLeft = "the watch leaves lost runs that are on hold",
    OverseerParksAnyOwner = "a park by the watch or a person does not ask for the owner it saw",
    BringBackOfAnyOwner = "a person's retry does not ask for the owner they saw",
    BroughtBackStaysParked = "a claim that is brought back stays in the parked half of the index",
    DoneIsReopened = "a person's retry reopens what is done",
    ResolveUnconditional = "a resolve closes whatever stands there",
}
