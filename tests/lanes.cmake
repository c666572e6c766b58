# SPDX-License-Identifier: Apache-2.0
# Read by ctest, after the lists of tests of all programs: gives every test its labels. Each test is "fast" or "slow". Besides,
# those of the reference simulator are labelled "reference", and those with generated input "fuzz". The fast tests take at
# most a minute on two cores, and are from every folder. Slow is what takes more than 0.6 s: suites named ...Long..., the
# stored hashes but two, the program pegrasp_kernel_tests (which scripts/test.sh --fast does not build), and the tests listed
# below, which scripts/update_lanes.py writes from the times of a run of all tests.
set(pegrasp_slow_suites "Long|^Golden")
set(pegrasp_fast_all_the_same "^Golden/StoredBits.AreTheResults/(gear|spatial_lift)$")
set(pegrasp_slow_tests
    Batch.AnyNumberOfThreads
    Batch.AnySplit
    BatchedConflict.NoneIn2D
    BatchedOrder.ALargeIslandIsTheSame
    Cli.RefusesInOneLineWithExitCode2
    CliInfeasible.AStopIsHeardWithinAStep
    CliMap.AFullDiskIsOneLineAndLeavesNothingHalfWritten
    CliMap.AFullDiskWhileDrawingIsReportedAndResumed
    CliMap.APartGoesOnAfterKill
    CliMap.CtrlCWhileDrawingLetsThePictureBeFinished
    CliMap.GoesOnAfterKillAndCtrlCWithTheSameBytes
    CliMap.PartsMakeTheFilesOfOneRun
    CliMap.SameBytesForEveryThreadCountAndFromTheResolvedProblem
    CliMap.TheStepCheckIsTheMapAtHalfTheStep
    CliRun.ASampleIsSimulatedExactlyAsTheMapSimulatedIt
    CliSolve.FclibFilesOfOthersAreSolvedAndAPictureIsDrawn
    CliValidate.TellsWhatIsOutsideTheTolerances
    Conflict.ASyncThatIsLeftOutIsMissed
    Conflict.NoneIn2D
    ContactProblems.EveryFamilyIsThere
    CudaBackend.AnyQueueOrderAndAnyPieces
    Dimensions/InfeasibleReference.TellsAHandThatLandsInABox/spatial
    Dimensions/InfeasibleReference.TellsJawsThatAreTooNarrow/spatial
    DrawMap.DrawsAPng
    DrawMap.LeavesNoPartOfAPicture
    DrawMap.SaysInOneLineWhyNot
    Example.FrictionBatchCountsTheStacksThatStand
    Files/EveryKey.NumbersThatAreNotFiniteOrHugeAreRefused/Plane
    Files/EveryKey.NumbersThatAreNotFiniteOrHugeAreRefused/Space
    Files/EveryKey.RemovedIsAcceptedOrNamedInTheRefusal/Space
    Files/EveryKey.WrongTypeIsRefusedByName/Plane
    Files/EveryKey.WrongTypeIsRefusedByName/Space
    GearIn3D.EndsAsIn2D
    GearIn3D.OnLevelSupportSpheresEndsWhereItDoesIn2D
    GpuGate.ABudgetIsForAllStages
    GpuGate.ADifferenceThatIsFoundBeforeTheTimeIsOverFails
    GpuGate.AMapThatIsTooSlowIsNoFailure
    GpuGate.ASanitizerThatIsTooSlowHasShownNothing
    GpuGate.AStageThatDoesNotEndIsCutOffAndKeepsWhatItHas
    GpuGate.AnArrangementThatDiffersFails
    GpuGate.BenchmarksThatAreSlowAreNoFailure
    GpuGate.ExamplesAreComparedInEveryShapeAndArrangement
    GpuGate.FastTrialsThatFailBeforeTheTimeIsOverFail
    GpuGate.MapsWithoutH5pyAreNotComparedWhole
    GpuGate.OutcomesThatFastArithmeticChangesAreReported
    GpuGate.TestsOfAProcessThatIsCutOffAreCounted
    Journal.ADamagedRecordAndAllAfterItAreSimulatedAgain
    Journal.ATornTailIsSimulatedAgain
    Launchers.ARankThatFailsIsReported
    Launchers.JoinTheirOwnPartsAlone
    Launchers.RanksOfMpiMakeTheMapOfOneRun
    LoadSharing.TrialsOfTheLiftHangLittleOnTheStart
    Manifold.RowsAreTheGradientsOfTheGaps
    MergeParts.GiveTheBytesOfOneRun
    NonFinite.TheSameIn3D
    Oracle.SignedDistanceOfPolygonsIsTheBruteForceDistance
    PairModes.AreTheSignedDistanceOnAMillionRandomPairs
    Parts/RoundPour.StaysApartAndInside/0
    Parts/RoundPour.StaysApartAndInside/1
    Pendulum.KeepsItsEnergy
    PolygonBox.StandardAndCorrectiveContactsFail
    PolygonBox.StandardContactsFailAtEveryStep
    PolyhedronBoxJammed.StepsAreSolvedAllTheSame
    ProblemFile.DamagedBytesNeverCrash
    ProblemFuzz.DamagedFileOfEveryKeyIn3DIsReadOrRefused
    ProblemFuzz.DamagedFileOfEveryKeyIsReadOrRefused
    ProblemFuzz.DamagedGearIsReadOrRefused
    RollingCart.OnPolygonsItGoesAsFastAsEdgesLet
    RoundModesFuzz.LatestModeOfSmallMotionsAndItsContacts
    SceneJson.SurvivesDamagedFilesOfEveryKey
    SinglePrecision.ALightPartInAHardGripIsFinishedInDouble
    SpatialAnalyticBatch.NoRodGoesThroughAThinPlate
    SpatialBatched.StepsSmallScenesAsPerScene
    SpatialBatched.WhatIsNotFiniteEndsAScene
    SpatialBatchedConflict.NoneIn3D
    SpatialBatchedOrder.ALargeIslandIsTheSame
    SpatialBatchedOrder.IslandsThatAreHalvedAndMergeAreTheSame
    SpatialBatchedOrder.OtherContactModelsAreTheSame
    SpatialBatchedOrder.SmallScenesAreTheSame
    SpatialConflict.ASyncThatIsLeftOutIsMissed
    SpatialConflict.NoneIn3D
    SpatialReferenceRound.StepsAsTheProductWithoutFriction
    SpatialReferenceRound.WrongMomentsAreFound
    SpatialTeam.AMotorOfABallJoint
    SpatialTeam.AScenesMemoryIsTheNextOnes
    SpatialTeam.AnyNumberAndOrderOfRanks
    SpatialTeam.Islands
    SpatialTeam.StepsThatAreHalved
    SpatialTeam.ThreadsAreTheSame
    Stack.PegFeaturesHoldsItAlmostAlignedOrNot
    Stack.StandardContactsPushBoxesAsideWhereTheyAlmostAlign
    Stack.StandsStillAfter4000Steps
    Stack.StandsWithTheOtherSolversThatHandleStacks
    Steps/Arch.StandsAboveItsFrictionAndFallsBelow/0
    Stop.IsHeardWithinAScene
    Strategies/Islands.ARejectedStepDoesNotShowInAnother/batched
    Strategies/Islands.CanBeLeftOut/batched
    Strategies/Islands.HalvedStepsKeepTheImpulsesOfMotors/batched
    Strategies/WedgeInAGroove.IsDrivenNoDeeper/spatial_batched
    Strategies/WedgeInAGroove.StaysWhereItIs/spatial_batched
    Support.IsTheFarthestPointOfThePart
    Team.AJammedBodyIsTheSameForAnyOrderOfRanks
    Team.EveryContactModelAndSolverIsTheSameForAnyTeam
    Team.GearIsTheSameForAnyNumberAndOrderOfRanks
    Team.PileIsTheSameForAnyNumberAndOrderOfRanks
    Team.StackIsTheSameForAnyNumberAndOrderOfRanks
    Team.ThreadsAreTheSame
    ThinWall.AFewRodsDoNotGoThrough
    Validate.TellsAWrongProduct
    ValidateSpatial.TrialsOfTheLiftEndAlike
    WriteMap.ManySamplesReadBack
)

foreach(program pegrasp_tests pegrasp_kernel_tests pegrasp_reference_tests)
  foreach(test IN LISTS ${program}_TESTS)
    set(labels fast)
    list(FIND pegrasp_slow_tests "${test}" listed)  # ctest sets no policies: IN_LIST is not known
    if(program STREQUAL "pegrasp_kernel_tests" OR NOT listed EQUAL -1
       OR (test MATCHES "${pegrasp_slow_suites}" AND NOT test MATCHES "${pegrasp_fast_all_the_same}"))
      set(labels slow)
    endif()
    if(test MATCHES "Fuzz")
      list(APPEND labels fuzz)
    endif()
    if(program STREQUAL "pegrasp_reference_tests")
      list(APPEND labels reference)
    endif()
    set_tests_properties(${test} PROPERTIES LABELS "${labels}")
  endforeach()
endforeach()
