"""The sign-in library's forms, with sentences of the product for bad input."""

from __future__ import annotations

from allauth.account import forms as account
from allauth.mfa.base import forms as mfa
from allauth.mfa.recovery_codes import forms as recovery
from allauth.mfa.totp import forms as totp

from corpus.forms.worded import WordedForm


class LoginForm(WordedForm, account.LoginForm):  # type: ignore[misc]
    """Address and password."""


class ResetPasswordForm(WordedForm, account.ResetPasswordForm):  # type: ignore[misc]
    """The address to mail a link for a new password to."""


class ResetPasswordKeyForm(WordedForm, account.ResetPasswordKeyForm):  # type: ignore[misc]
    """A new password, by the link that was mailed."""


class ChangePasswordForm(WordedForm, account.ChangePasswordForm):  # type: ignore[misc]
    """The old password and a new one."""


class SetPasswordForm(WordedForm, account.SetPasswordForm):  # type: ignore[misc]
    """A first password."""


class AddEmailForm(WordedForm, account.AddEmailForm):  # type: ignore[misc]
    """One more address."""


class ReauthenticateForm(WordedForm, account.ReauthenticateForm):  # type: ignore[misc]
    """The password again, before something delicate."""


class AuthenticateForm(WordedForm, mfa.AuthenticateForm):  # type: ignore[misc]
    """The second step of signing in."""


class SecondStepAgainForm(WordedForm, mfa.ReauthenticateForm):  # type: ignore[misc]
    """The second step again, before something delicate."""


class ActivateTOTPForm(WordedForm, totp.ActivateTOTPForm):  # type: ignore[misc]
    """The first code of an authenticator app."""


class DeactivateTOTPForm(WordedForm, totp.DeactivateTOTPForm):  # type: ignore[misc]
    """Taking the second step away."""


class GenerateRecoveryCodesForm(WordedForm, recovery.GenerateRecoveryCodesForm):  # type: ignore[misc]
    """New recovery codes."""


class RequestReauthenticationCodeForm(WordedForm, account.RequestReauthenticationCodeForm):  # type: ignore[misc]
    """Where to mail a code to, before something delicate."""
